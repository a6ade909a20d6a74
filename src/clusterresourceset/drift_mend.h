/*
 * Does something about objects of a set that have drifted on a cluster, by its policy.
 *
 * Report: each of them is read, and a dry run tells what applying it would leave. The difference is
 * what was lost.
 *
 * Repair: each of them is read and applied, and nothing else is. The difference is what was put
 * back. An object that drifts again and again is left alone for a while (contest.h).
 *
 * After a restart, with something changed and nothing remembered, all objects of the set are read
 * and dry-run first, and those that differ have drifted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "clusterresourceset/apply/apply_ledger.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/types/failures.h"

struct cluster_connection;
struct placement;
struct plan;

struct drift_mend {
    struct placement *placement;
    const struct plan *plan;
    struct cluster_connection *connection;
    const struct drift_finding *finding;
    struct arena *arena;
    struct failures *refused; /* gets what a server did not let us repair */
    int64_t now;
    /* Written by drift_mend_run(). */
    struct failures why;        /* what has drifted and still is */
    struct failures repaired;   /* what was put back; both say what was changed, and by whom */
    struct apply_ledger ledger; /* of the objects that were looked at, as applying leaves them */
    enum delivery_drift drift;
    bool tells_contest; /* a pause has begun that nobody was told of */
    bool
        has_made_anew; /* something was put back that is not what it was: it has another UID, say */
};

void drift_mend_done(struct drift_mend *mend);

/* Suspends. An error: the cluster was not asked about all of the objects. */
MUST_USE struct error *drift_mend_run(struct drift_mend *mend);
