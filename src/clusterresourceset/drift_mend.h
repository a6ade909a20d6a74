/*
 * Does something about objects of a set that have drifted on a cluster: looks what was changed and
 * by whom, for a report.
 *
 * Every object of a finding is read, and a dry run tells what applying it would leave: the
 * difference is what was lost. After a restart, with something changed and nothing remembered, that
 * is done with all objects of the set, and only those that differ have drifted.
 */
#pragma once

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
    /* Written by drift_mend_run(). */
    struct failures why;        /* what has drifted and still is */
    struct apply_ledger ledger; /* what applying leaves of the objects that were looked at */
    enum delivery_drift drift;
};

void drift_mend_done(struct drift_mend *mend);

/* Suspends. What a server refuses is no error, and told among the rest. */
MUST_USE struct error *drift_mend_run(struct drift_mend *mend);
