/*
 * The occasion on which clusters lose a set: the set no longer selects them (prune.when:
 * Unselected), or is being deleted (Deleted). Here is decided which clusters these are and whether
 * they are too many at once; prune_withdraw.h does it, cluster by cluster.
 *
 * Only clusters with a record of the set can lose it, and only Clusters that exist.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct crs_set;

/* For a set that is open, whenever it was looked at: enqueues the clusters that lose it. */
void prune_occasion_follow(struct crs_set *set);

/*
 * For a set that is being deleted and is closed. *ret_waits says whether its finalizer has to stay:
 * clusters have something left that is to be deleted, and are neither gone nor given up. Suspends.
 */
MUST_USE struct error *prune_occasion_delete(struct crs_set *set, bool *ret_waits);

/* Whether the cluster is one that loses the set. */
bool prune_occasion_concerns(struct crs_set *set, struct str cluster);

/* The condition Pruned of the set, from all that is known of its clusters. */
struct condition prune_occasion_condition(struct crs_set *set, int64_t generation,
                                          struct arena *arena);
