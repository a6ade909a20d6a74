/*
 * What checks have found on a cluster, in the reconcile of its placement: drift (drift_check.h) is
 * explained and repaired, and drift and health (health_check.h) are recorded in the binding. What
 * was taken out of the set is deleted after that (prune_removed.h).
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct object;
struct placement_reconcile;

/*
 * For a placement to which everything is applied: uses up the findings of drift and health, and
 * writes them into the record. Suspends.
 */
MUST_USE struct error *placement_findings_record(struct placement_reconcile *reconcile);

/*
 * Remembers what was applied and what the binding records of drift and health, and sees that both
 * are looked at from now on. Returns whether the record says something new.
 */
bool placement_findings_keep(struct placement_reconcile *reconcile, const struct object *binding);
