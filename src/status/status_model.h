/*
 * The model of corset status: sets, clusters, and each set on each cluster it selects (a cell).
 *
 * Pure. Objects are added in this order: sets, clusters, bindings, events. Then the model is
 * finished and read. The model copies what it needs and keeps no object, so ten thousand clusters
 * take a few megabytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "apimachinery/selector.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "clusterresourceset/order.h"
#include "clusterresourceset/types/crs_spec.h"

struct delivery;
struct object;

/* In the order of attention: problems first. */
enum status_state {
    STATUS_FAILED,
    STATUS_UNREACHABLE, /* a cluster whose condition RemoteConnectionProbe says so */
    STATUS_CONTESTED,   /* applied, but somebody changes objects back after every repair */
    STATUS_DRIFTED,     /* applied, but somebody has changed objects since */
    STATUS_HELD,        /* applied, and somebody has to agree before objects are deleted */
    STATUS_WAITING,     /* not applied yet */
    STATUS_SETTLING,    /* applied, and not everything is ready yet */
    STATUS_PRUNING,     /* applied, and objects that are no longer wanted go */
    STATUS_PAUSED,
    STATUS_DELETING,
    STATUS_APPLIED,
    STATUS_IDLE, /* a set without clusters, a cluster without sets */
    STATUS_STATES,
};

const char *status_state_name(enum status_state state);

/* True if nobody has to do anything. A pause is intended. */
bool status_state_is_fine(enum status_state state);

/* True if everything was applied, whatever became of it since. */
bool status_state_is_applied(enum status_state state);

/* How many of those that are counted by state are applied, in this sense. */
size_t status_count_applied(const size_t counts[static STATUS_STATES]);

/* A set on a cluster. */
struct status_cell {
    struct status_set *set;
    enum status_state state;
    size_t applied;   /* number of resources of the set that are applied */
    timestamp newest; /* application; 0: none */
    timestamp since;  /* of the state, see status_since.h; 0: not known */
    struct str why;
    timestamp why_time, why_first;     /* the last and the first time that it was told */
    const struct delivery *delivery;   /* the record of the binding; NULL: there is none */
    struct str told;                   /* the record, short */
    struct status_resource *resources; /* one for each resource of the set */
};

/* Whether what is told of the cell is that objects are not ready. */
bool status_cell_is_unready(const struct status_cell *cell);

/* Whether the binding records that the last attempt failed, and why. */
bool status_cell_is_recorded_failed(const struct status_cell *cell);

struct status_resource {
    bool is_known, is_applied; /* the binding mentions it; it was applied */
    struct str hash, time;
};

struct status_set {
    struct key key;
    struct str uid;
    struct crs_spec spec;
    enum status_state state;
    size_t clusters;              /* number of clusters the set selects */
    size_t counts[STATUS_STATES]; /* number of clusters in each state */
    timestamp since, created;
    timestamp times[STATUS_STATES];      /* when its own status came into a state; 0: not known */
    timestamp cell_times[STATUS_STATES]; /* of its cells */
    struct str reason, message;          /* of the worst condition, unless all is well */
    struct str why;                      /* the message without its fixed preface */
    struct str lost_cluster;             /* the first by name that cannot be reached */
    struct str lost_why;                 /* its name, and why */
    struct str drift_why;                /* the message of its condition DriftFree */
    struct str health_why;               /* the message of its condition Ready, if it is False */
    struct str prune_why;                /* the message of its condition Pruned, the same */
    bool is_prune_held;                  /* which says that somebody has to agree */
    bool has_health;                     /* it has the condition Ready */
    bool has_rollout;                    /* it has the condition RolledOut */
    struct str revision, wave;           /* of the rollout; "canary Soaking" */
    size_t ready;                        /* clusters on which it is ready, if it has health */
    struct str policy;                   /* the name of its DeliveryPolicy; empty: none */
    struct order_names depends_on;       /* of the annotation corset.dev/depends-on */
    bool is_paused, is_deleting;
    bool is_current; /* for the present generation every condition says that all is well */
    bool is_held;    /* for the present generation nothing is wrong but that Clusters are paused */
    bool waits;      /* the same, but that other sets come first on some clusters */
    bool has_failed; /* for the present generation a condition says that something failed */
    bool is_refused; /* the same, and that nothing of the set is worked on: a cycle, no policy */
    bool lacks_resource; /* the same, because a resource is missing or cannot be used */
};

struct status_cluster {
    struct key key;
    struct str uid;
    enum status_state state;
    struct str endpoint, labels; /* "127.0.0.1:6443", "env=prod,tier=1" */
    bool is_provisioned, is_deleting, is_paused, is_unreachable;
    timestamp created, since;
    timestamp times[STATUS_STATES]; /* when the Cluster came into a state; 0: not known */
    struct str lost_why;            /* what the probe says while it is unreachable */
    timestamp connected;            /* since when it is; 0: it is not, or that is not known */
    timestamp last_success;         /* of a probe, told while there is no connection; 0: none */
    struct status_cell *cells;
    size_t cell_count;
    size_t applied, wanted; /* resources of all its sets */
    size_t counts[STATUS_STATES];
    struct str why; /* of the probe, or of its worst cell with the set's name in front */
};

struct status_model {
    struct str only_set, only_cluster; /* names; empty: all */
    struct selector selector;          /* of the labels of clusters; zero: all. Borrowed */
    unsigned only_states;              /* bits of the states that are shown; 0: all */
    struct arena arena;
    struct status_set **sets;
    size_t set_count, set_capacity;
    struct status_cluster **clusters;
    size_t cluster_count, cluster_capacity;
    struct map by_key; /* "namespace/name" -> struct status_cluster */
    bool has_policies; /* some set names a DeliveryPolicy */
    bool has_health;   /* some set has the condition Ready */
    bool has_rollouts; /* some set has the condition RolledOut */
    size_t set_counts[STATUS_STATES], cluster_counts[STATUS_STATES];
};

void status_model_done(struct status_model *model);

void status_model_add_set(struct status_model *model, const struct object *object);
void status_model_add_cluster(struct status_model *model, const struct object *object);
void status_model_add_binding(struct status_model *model, const struct object *binding);

/* Adds an Event of core/v1 about a Cluster, which says why a set is not applied there. */
void status_model_add_event(struct status_model *model, const struct object *event);

/* Computes all states and sorts: problems first, then by namespace and name. */
void status_model_finish(struct status_model *model);

/*
 * How a set that the set of the cell depends on stands on the cluster, by what the objects say; not
 * every state can be told from them. *ret_cell is its cell there; NULL: there is none.
 */
enum order_state status_model_judge_named(const struct status_model *model,
                                          const struct status_cluster *cluster, struct str named,
                                          const struct status_cell **ret_cell);

/* NULL if there is none. If several namespaces have the name, the first one counts. */
struct status_set *status_model_find_set(const struct status_model *model, struct str name);
struct status_cluster *status_model_find_cluster(const struct status_model *model, struct str name);

/* True if rows of this state are asked for. The judgement is about all rows in any case. */
bool status_model_shows(const struct status_model *model, enum status_state state);

/*
 * True if every set is applied, paused, or selects no cluster, and every cluster can be reached.
 * With a selector the selected clusters decide, whatever the sets do elsewhere.
 */
bool status_model_is_applied(const struct status_model *model);
