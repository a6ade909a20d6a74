/* The reconcile of a placement. Private to placement_reconcile.c and placement_findings.c. */
#pragma once

#include "apimachinery/key.h"
#include "async/fiber.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/apply/apply_ledger.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_health.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/types/failures.h"

struct drift_mend;

/* What one reconcile works with and finds out. */
struct placement_reconcile {
    struct crs_controllers *controllers;
    struct crs_set *set;
    struct placement *placement;
    struct plan *plan; /* the set may get a newer one meanwhile */
    struct key cluster;
    struct object *cluster_object;
    struct arena arena;
    struct object *binding; /* the newest copy that was read */
    struct cluster_connection *connection;
    struct str cluster_uid;           /* borrowed from the connection; empty: not known */
    struct error *unknown;            /* why the UID could not be read just now */
    struct binding_resource *results; /* for the binding; room for all resources */
    size_t result_count;
    struct fault fault;       /* texts are in the arena */
    struct failures failures; /* of objects and of contents, on the cluster */
    struct apply_notices notices;
    struct apply_ledger ledger; /* of a set with a policy */
    bool has_outcome;           /* what can be applied was tried: the failures are all there are */
    struct buf applied;         /* "ConfigMap cm1, Secret s1", for the event */
    int64_t begun;
    struct drift_mend *mend;      /* what was found out about drift; NULL: nothing */
    struct str mend_digest;       /* for the record; empty: it stays */
    struct str drift_unchecked;   /* since when no check for drift succeeded; empty: one did */
    bool has_mended;              /* the record says what was found out */
    bool has_repaired;            /* and objects were put back */
    struct health_finding health; /* what a look has found, for the record; of no type: nothing */
    bool is_unfilled;             /* values of the Cluster cannot be put in: the failures say why */
    bool is_unfinished;           /* the binding could not be written because of conflicts */
    bool is_refused;              /* the binding has no room for the set */
    bool is_beginning;            /* the record says that an attempt begins; see delivery.h */
    bool is_held;                 /* the plan is an older one: see placement_plan() */
    bool is_in_doubt;             /* the cluster failed, not an object; see cluster_doubt.h */
    struct reconcile_result *result;
};

/* The time that applying may take, by the number of objects. */
duration placement_reconcile_time(const struct placement_reconcile *reconcile);

/* Runs a fiber that is cancelled when the set or the cluster goes. Suspends until it is over. */
MUST_USE struct error *placement_reconcile_run(struct placement_reconcile *reconcile,
                                               const char *name, fiber_fn run, void *data);

/* Makes one fault of the objects that failed. */
void placement_reconcile_note_failures(struct placement_reconcile *reconcile);

/* Writes results and record into the binding. Suspends. */
MUST_USE struct error *placement_reconcile_write(struct placement_reconcile *reconcile);

/* The fault as an error that the queue tries again after; NULL: there is no fault to try again. */
MUST_USE struct error *placement_reconcile_explain(const struct fault *fault);

bool placement_reconcile_is_paused(const struct placement_reconcile *reconcile);
