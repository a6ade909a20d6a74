/*
 * One simulated run of the whole program against a management cluster and five workload clusters.
 *
 * Three sets share bindings, and in some runs depend on each other or follow a policy. While there
 * is trouble, people change ConfigMaps and Secrets, labels, sets and clusters, somebody else writes
 * bindings too, somebody changes objects in clusters, every server misbehaves in its own way, and
 * the controller's process is killed and started again. A witness sees every change of a binding,
 * and every object that is posted or deleted. Then everything works, and what there is has to
 * become what the model says; from then on nothing is written any more.
 *
 * All that happens depends on the seed alone.
 */
#pragma once

#include "clusterresourceset/types/delivery.h"
#include "clusterresourceset/types/delivery_policy.h"
#include "json/json.h"
#include "support/simulation/draw.h"
#include "support/simulation/front.h"
#include "support/simulation/life.h"
#include "support/simulation/seeds.h"
#include "support/simulation/trace.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define SETS      3
#define CLUSTERS  5
#define RESOURCES 5

/* Of the one who writes bindings too: entries that are none of ours. */
#define FOREIGN "legacy"

struct resource_place {
    bool is_secret;        /* the resource itself */
    const char *namespace; /* of what is in it: a request's target tells where an object is from */
    bool holds_secrets;    /* or ConfigMaps */
};
extern const struct resource_place sets_places[RESOURCES];

enum quality {
    ABSENT,
    FINE,
    BROKEN,     /* cannot be read */
    PARTIAL,    /* one of its objects is refused */
    WRONG_TYPE, /* of a Secret */
    QUALITIES,
};

#define HASH_LEN 71 /* "sha256:" and digits */

/* What a resource held at some time. */
struct content_version {
    size_t resource;
    enum quality quality;
    unsigned number;  /* in the data of every object of it */
    unsigned objects; /* 1 or 2: r0-a and r0-b */
    int64_t written_at;
    char hash[HASH_LEN + 1];
};

/* Which resources a set named from some time on. */
struct naming {
    size_t set;
    unsigned refs; /* a bit each */
    int64_t since;
};
#define NAMINGS_MAX 512

struct sets_profile {
    bool reconciles[SETS];
    bool has_order; /* sets depend on each other */
    bool resyncs;   /* often enough to find what no event tells: entries that people take back */
    bool cuts_when_killed;
    bool merges;       /* Reconcile by merge patches */
    bool has_policy;   /* sets that reconcile follow one, and somebody changes their objects */
    bool has_opponent; /* somebody does so after every repair */
    bool has_values;   /* objects have values of their Cluster in them, by the policy */
    bool prunes;       /* the policy deletes what was taken out of a set */
    bool is_spoilt;    /* resources of sets with a policy are, once all is well */
    duration drift_check;
    duration probe, retry;
    duration trouble;
};

/* Somebody who changes an object of a set after every repair. */
struct opponent {
    bool is_active;
    size_t set, cluster, resource;
};

struct sets {
    uint64_t seed;
    struct sets_profile profile;
    struct random users_dice, order_dice, tampering_dice;
    struct trace trace;
    struct network *network;
    struct front management, workloads[CLUSTERS];
    struct life life;

    /* catalog.c */
    struct content_version *versions;
    size_t version_count;
    unsigned named[SETS];               /* resources that each set has ever named, a bit each */
    struct naming namings[NAMINGS_MAX]; /* simulated_users.c: in the order in which they came */
    size_t naming_count;
    unsigned chosen[SETS]; /* clusters that each set may ever have selected */

    /* provider.c */
    bool is_next_host[CLUSTERS];
    bool is_going[CLUSTERS];      /* is being deleted, and goes with all it has, */
    bool wipes[CLUSTERS];         /* of which only that is left */
    int64_t deleted_at[CLUSTERS]; /* the last time; 0: never */
    char hosts[CLUSTERS][3][32];  /* two that it moves between, and the back */

    size_t events;    /* witness.c: written by the recorder */
    bool has_trouble; /* model.c: not everything can be applied */

    /* foreign.c: what was written last, and into which binding */
    unsigned foreign[CLUSTERS];
    unsigned foreign_seen[CLUSTERS]; /* by the witness */

    /* tampering.c: what the policy says, and resources whose objects were changed, a bit each */
    enum delivery_policy_drift drift;
    unsigned tampered[CLUSTERS];
    struct opponent opponent;
};

#define SETS_TEXT_MAX 1024
#define SETS_TARGET   "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesets"
#define BINDINGS_TARGET \
    "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesetbindings"
#define CLUSTERS_TARGET "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters"

/* Objects of the management cluster as stored; NULL. */
struct json_doc *sets_find_set(struct sets *sets, size_t set);
struct json_doc *sets_find_cluster(struct sets *sets, size_t cluster);
struct json_doc *sets_find_binding(struct sets *sets, size_t cluster);
struct json_doc *sets_find_resource(struct sets *sets, size_t resource);
bool sets_is_deleting(const struct json_doc *doc);

/* "3" of "c3"; false for other names. */
bool sets_number(struct str name, char letter, size_t below, size_t *ret_number);

/* catalog.c: what resources hold. */
void catalog_write(struct sets *sets, size_t resource, enum quality quality);
void catalog_remove(struct sets *sets, size_t resource);
const struct content_version *catalog_find(const struct sets *sets, size_t resource,
                                           struct str hash);
/* What the resource is now. */
enum quality catalog_judge(struct sets *sets, size_t resource,
                           const struct content_version **ret_version);
/* NULL when the cluster has all that the version describes; else what it lacks. With exact, the
 * objects have to be of this version. */
MUST_USE struct error *catalog_check(struct sets *sets, const struct content_version *version,
                                     size_t cluster, bool exact);

/* Whether a version that can be used and lacks the object was the newest since this time. */
bool catalog_lacks(const struct sets *sets, size_t resource, char letter, int64_t since);

struct json_doc *catalog_find_object(struct sets *sets, size_t cluster, size_t resource,
                                     char letter);
/* Whether the object has the data of the version. */
bool catalog_is_of(const struct content_version *version, const struct json_doc *object);

/* provider.c: Cluster API. */
void provider_make(struct sets *sets, size_t cluster);
void provider_label(struct sets *sets, size_t cluster);
void provider_delete(struct sets *sets, size_t cluster, bool at_once);
void provider_rotate(struct sets *sets, size_t cluster);
MUST_USE struct error *provider_tend(void *data); /* a fiber that lets go of what is deleted */
bool provider_selects(struct sets *sets, size_t set, size_t cluster);

/* foreign.c: somebody else's edits of bindings. */
void foreign_write(struct sets *sets, size_t cluster);
void foreign_reset(struct sets *sets, size_t cluster, size_t set);

/* precedence.c: sets that depend on others. */
void precedence_write(struct sets *sets, struct buf *metadata);
void precedence_change(struct sets *sets, size_t set, const char *names); /* NULL: none */
void precedence_edit(struct sets *sets);
void precedence_try(struct sets *sets);
/* Nothing of the set may be applied at all; and it may not begin on the cluster, where it has this
 * entry. */
bool precedence_refuses(struct sets *sets, size_t set);
bool precedence_holds_back(struct sets *sets, size_t set, size_t cluster,
                           const struct json_value *entry);

/* tampering.c: a policy, and somebody who changes objects of the sets that follow it. */
bool tampering_has_policy(const struct sets *sets, size_t set);

/* The annotation "at" of an object, if the policy has values, with a label and a field. */
#define TAMPERING_VALUES "((cluster.label \"b\")) ((cluster.field \"/metadata/uid\"))"
void tampering_write(struct sets *sets, size_t set, struct buf *metadata);
void tampering_begin(struct sets *sets);
void tampering_edit(struct sets *sets);
void tampering_end(struct sets *sets);
void tampering_oppose(struct sets *sets, struct scope *scope);
/* Whether the record says what became of the objects of the resources, bits, and what that is. */
MUST_USE struct error *tampering_check(struct sets *sets, size_t set, size_t cluster, unsigned refs,
                                       const struct json_value *record,
                                       enum delivery_drift *ret_drift);

/* pruning.c: fails unless a rule explains why the object at this target is deleted. */
void pruning_witness(struct sets *sets, size_t cluster, struct str target);

/* simulated_users.c: a fiber that edits objects; the first and the last state. */
MUST_USE struct error *simulated_users_edit(void *data);
void simulated_users_begin(struct sets *sets);
void simulated_users_end(struct sets *sets);
void simulated_users_spoil(struct sets *sets);
void simulated_users_make_set(struct sets *sets, size_t set, const char *depends_on);

/* witness.c: a fiber that follows bindings, and whoever looks at each request to a cluster. */
MUST_USE struct error *witness_follow(void *data);
front_asked_fn witness_request, witness_management;

/* model.c: what is not as it should be; NULL when all is well. */
MUST_USE struct error *model_check(struct sets *sets);
/* Whether the set brings the resource to the cluster. */
bool model_delivers(struct sets *sets, size_t set, size_t cluster, size_t resource);

/* program.c: one life of the controller; a fiber. */
MUST_USE struct error *program_run(void *data);
void program_killed(void *data);

/* run.c */
seeds_run_fn sets_run;
