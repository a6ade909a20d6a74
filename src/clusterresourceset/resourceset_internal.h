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
#include "clusterresourceset/census.h"
#include "clusterresourceset/ledger.h"
#include "clusterresourceset/report.h"
#include "clusterresourceset/resourceset.h"
#include "clusterresourceset/supply.h"
#include "clusterresourceset/types/resource_set.h"
#include "controller/controller.h"

struct resourceset {
    struct loop *loop;
    struct resourceset_options options;
    char *watch_filter;
    struct cache *sets, *bindings, *config_maps, *secrets;
    struct controller *controllers[RESOURCESET_CONTROLLERS]; /* NULL once taken */
    struct queue *queues[RESOURCESET_CONTROLLERS];
    struct ledger *ledger;
    struct supply_pool *supplies;
    int64_t sweep_at; /* when supplies are next looked through */
    struct census *census;
    struct map members; /* "namespace/name" -> struct member_set */
};

/* What is wrong with one cluster of a set. */
struct fault {
    enum trouble trouble;
    char *resource, *name, *text;
};

/* What a set wants of every cluster, as of one moment; whoever works by it holds a reference. */
struct plan {
    size_t references;
    uint64_t round; /* counts plans of a set, from 1 */
    int64_t generation;
    struct resource_set spec;
    struct supply **supplies; /* of spec.refs; none while nothing is selected */
    size_t supply_count;
};

/* One cluster of a set. */
struct unit {
    struct member_set *set;
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
struct member_set {
    struct resourceset *resourceset;
    char *namespace, *name;
    char *uid;             /* for its life; whoever waits holds on to it, objects are replaced */
    struct object *object; /* the newest copy that is known */
    struct plan *plan;     /* NULL before the first */
    struct map units;      /* cluster -> struct unit */
    size_t pending, running;
    struct event has_stopped; /* a unit */
    bool is_open;             /* units may run: neither paused nor going */
    int64_t due;              /* when to tell of news though some are pending; 0: there is none */
};

/* member_set.c */
struct member_set *member_find(struct resourceset *resourceset, struct key key);
struct member_set *member_open(struct resourceset *resourceset, struct key key);
struct key member_key(const struct member_set *set);
struct owner_reference member_owner(const struct member_set *set);

/* No unit starts any more, those that run are cancelled and waited for. Suspends. */
MUST_USE struct error *member_close(struct member_set *set);
void member_drop(struct member_set *set); /* nothing runs */

/* Keeps the newer one. */
void member_put_object(struct member_set *set, struct object *object);

/* By name; made if it is not there. */
struct unit *unit_find(const struct member_set *set, struct str cluster);
struct unit *unit_open(struct member_set *set, struct str cluster);
void unit_drop(struct unit *unit);

/* Replaces what was wrong; false when it is the same. Texts are copied, cut to a bound. */
bool unit_set_fault(struct unit *unit, enum trouble trouble, struct str resource, struct str name,
                    struct str text);
void unit_set_pending(struct unit *unit, bool is_pending);

/* Whether the binding (may be NULL) says all that the plan wants. */
bool plan_is_met(const struct plan *plan, const struct object *binding,
                 struct owner_reference owner);
bool plan_is_recorded(const struct plan *plan, const struct object *binding,
                      struct owner_reference owner); /* the same, whoever owns the binding */
bool plan_is_complete(const struct plan *plan); /* supplies were read: something was selected */
struct plan *plan_ref(struct plan *plan);
void plan_free(struct plan *plan); /* gives one reference back */
DEFINE_OWNED(plan)

/* Key of a unit in its queue, "set/cluster" in the namespace of both; and back. */
void unit_enqueue(struct member_set *set, struct str cluster, int priority);
bool unit_split_key(struct str name, struct str *ret_set, struct str *ret_cluster);

/* member_pass.c, unit_pass.c, binding_pass.c */
reconcile_fn member_reconcile, unit_reconcile, binding_reconcile;

/* member_status.c: sets conditions and the observed generation, if that changes anything.
 * ERROR_NOT_FOUND when it is gone. Suspends. */
struct member_status {
    const struct condition *conditions; /* v1beta2 */
    size_t count;
    const struct condition *v1beta1; /* NULL: left alone */
    int64_t observed_generation;     /* 0: left alone */
};
MUST_USE struct error *member_write_status(struct member_set *set,
                                           const struct member_status *status);

/* Adds or takes away our finalizer. Suspends. */
MUST_USE struct error *member_set_finalizer(struct member_set *set, bool present);

/* member_removal.c: takes the set out of every binding. Suspends. */
MUST_USE struct error *member_withdraw(struct member_set *set);

/* mapping.c */
void mapping_watch(struct resourceset *resourceset);

/* Does the object have the label of the filter, if there is one? */
bool mapping_has_label(const struct resourceset *resourceset, const struct object *object);

/* tidings.c: events for people. */
void tidings_of_unit(const struct unit *unit, const struct object *cluster, struct str applied);
void tidings_of_set(const struct member_set *set, const struct report *report, size_t clusters);
