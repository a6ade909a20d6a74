/*
 * What the files of the controllers share: the state of sets and of their clusters.
 *
 * All of it can be lost: it is what a process has found out since it began. What must last is in
 * the management cluster.
 */
#pragma once

#include "apimachinery/object.h"
#include "async/event.h"
#include "async/scope.h"
#include "base/map.h"
#include "clusterresourceset/binding_store.h"
#include "clusterresourceset/cluster_index.h"
#include "clusterresourceset/conditions.h"
#include "clusterresourceset/crs_controllers.h"
#include "clusterresourceset/resource_snapshots.h"
#include "clusterresourceset/types/crs_spec.h"
#include "controller/controller.h"

struct crs_controllers {
    struct loop *loop;
    struct crs_controllers_options options;
    char *watch_filter;
    struct cache *sets, *bindings, *config_maps, *secrets;
    struct controller *all[CRS_CONTROLLER_COUNT]; /* NULL once taken */
    struct queue *queues[CRS_CONTROLLER_COUNT];
    struct binding_store *binding_store;
    struct resource_snapshots *snapshots;
    int64_t sweep_at; /* when snapshots are next looked through */
    struct cluster_index *cluster_index;
    struct map sets_by_key; /* "namespace/name" -> struct crs_set */
};

/* What is wrong with one cluster of a set. */
struct fault {
    enum fault_type type;
    char *resource, *name, *text;
};

/* What a set wants of every cluster, as of one moment; whoever works by it holds a reference. */
struct plan {
    size_t references;
    uint64_t round; /* counts plans of a set, from 1 */
    int64_t generation;
    struct crs_spec spec;
    struct resource_snapshot **snapshots; /* of spec.refs; none while nothing is selected */
    size_t snapshot_count;
};

/* One cluster of a set. */
struct placement {
    struct crs_set *set;
    char *cluster;
    uint64_t round; /* the plan it has gone through; 0: none */
    char *version;  /* of the binding when it was found as it should be; NULL: it was not */
    struct fault fault;
    struct scope *work; /* what may be cancelled: talking to the cluster; NULL: nothing */
    bool is_pending;    /* waits for its turn for the first time in a round, or runs */
    bool runs;
    bool is_dropped; /* no longer of the set; whoever runs it frees it */
};

/* One set. */
struct crs_set {
    struct crs_controllers *controllers;
    char *namespace, *name;
    char *uid;             /* for its life; whoever waits holds on to it, objects are replaced */
    struct object *object; /* the newest copy that is known */
    struct plan *plan;     /* NULL before the first */
    struct map placements; /* cluster -> struct placement */
    size_t pending, running;
    struct event has_stopped; /* a placement */
    bool is_open;             /* placements may run: neither paused nor going */
    int64_t due;              /* when to tell of news though some are pending; 0: there is none */
};

/* crs_set.c */
struct crs_set *set_find(struct crs_controllers *controllers, struct key key);
struct crs_set *set_open(struct crs_controllers *controllers, struct key key);
struct key set_key(const struct crs_set *set);
struct owner_reference set_owner_reference(const struct crs_set *set);

/* No placement starts any more, those that run are cancelled and waited for. Suspends. */
MUST_USE struct error *set_close(struct crs_set *set);
void set_drop(struct crs_set *set); /* nothing runs */

/* Keeps the newer one. */
void set_put_object(struct crs_set *set, struct object *object);

/* By name; made if it is not there. */
struct placement *placement_find(const struct crs_set *set, struct str cluster);
struct placement *placement_open(struct crs_set *set, struct str cluster);
void placement_drop(struct placement *placement);

/* Replaces what was wrong; false when it is the same. Texts are copied, cut to a bound. */
bool placement_set_fault(struct placement *placement, enum fault_type fault, struct str resource,
                         struct str name, struct str text);
void placement_set_pending(struct placement *placement, bool is_pending);

/* Whether the binding (may be NULL) says all that the plan wants. */
bool plan_is_met(const struct plan *plan, const struct object *binding,
                 struct owner_reference owner);
bool plan_is_recorded(const struct plan *plan, const struct object *binding,
                      struct owner_reference owner); /* the same, whoever owns the binding */
bool plan_is_complete(const struct plan *plan); /* snapshots were read: something was selected */
struct plan *plan_ref(struct plan *plan);
void plan_free(struct plan *plan); /* gives one reference back */
DEFINE_OWNED(plan)

/* Key of a placement in its queue, "set/cluster" in the namespace of both; and back. */
void placement_enqueue(struct crs_set *set, struct str cluster, int priority);
bool placement_split_key(struct str name, struct str *ret_set, struct str *ret_cluster);

/* set_reconcile.c, placement_reconcile.c, binding_reconcile.c */
reconcile_fn reconcile_set, reconcile_placement, binding_reconcile;

/* set_status.c: sets conditions and the observed generation, if that changes anything.
 * ERROR_NOT_FOUND when it is gone. Suspends. */
struct set_status {
    const struct condition *conditions; /* v1beta2 */
    size_t count;
    const struct condition *v1beta1; /* NULL: left alone */
    int64_t observed_generation;     /* 0: left alone */
};
MUST_USE struct error *set_write_status(struct crs_set *set, const struct set_status *status);

/* Adds or takes away our finalizer. Suspends. */
MUST_USE struct error *set_write_finalizer(struct crs_set *set, bool present);

/* set_delete.c: takes the set out of every binding. Suspends. */
MUST_USE struct error *set_remove_from_bindings(struct crs_set *set);

/* mapping.c */
void watches_add(struct crs_controllers *controllers);

/* Does the object have the label of the filter, if there is one? */
bool watches_has_label(const struct crs_controllers *controllers, const struct object *object);

/* set_events.c: events for people. */
void set_events_record_placement(const struct placement *placement, const struct object *cluster,
                                 struct str applied);
void set_events_record_set(const struct crs_set *set, const struct conditions *report,
                           size_t clusters);
