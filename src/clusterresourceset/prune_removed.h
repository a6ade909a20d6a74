/*
 * Prune of what was taken out of a set (prune.when: Removed), in the reconcile of its placement: so
 * it never runs beside an apply to the same cluster.
 *
 * The record says that it is due from the moment at which a revision is applied. It is over when
 * the lists show nothing more that is the set's and in no resource of it, apart from what is kept.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct crs_set;
struct object;
struct placement;
struct placement_reconcile;

/* For a placement to which everything is applied. Suspends. */
MUST_USE struct error *prune_removed_run(struct placement_reconcile *reconcile);

/*
 * Notes what the binding records, and enqueues the placement if prune has become possible. Returns
 * whether the record says something new.
 */
bool prune_removed_keep(struct placement_reconcile *reconcile, const struct object *binding);

/*
 * For a placement of a set that is open, whenever the set was looked at: what is held goes on if
 * somebody has agreed, or the policy has changed.
 */
void prune_removed_follow(struct crs_set *set, struct placement *placement);
