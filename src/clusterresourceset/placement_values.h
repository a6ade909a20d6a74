/*
 * The values of a Cluster that the objects of one placement have in them (types/values.h).
 *
 * Name and labels of Clusters are known from the cache. Annotations and fields are not: a Cluster
 * is fetched for them, and what a set uses of it is kept as long as the Cluster stays as it was.
 * Sets without such values cost nothing.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"
#include "controller/controller.h"

struct placement;
struct placement_reconcile;
struct placement_values;
struct plan;

void placement_values_free(struct placement_values *values); /* may be NULL */

/*
 * Makes the plan of a reconcile one for its cluster. If the Cluster lacks a value, the reconcile is
 * unfilled: its failures say why, and it keeps the plan of the set. Without room in memory it is
 * unfinished, and comes again soon. An error: the Cluster could not be read. Suspends.
 */
MUST_USE struct error *placement_values_use(struct placement_reconcile *reconcile);

/*
 * The plan of the set for the cluster of a placement, with the values of its last reconcile: a new
 * reference. NULL if they are not known or cannot be put in, or, with *ret_waits, if there is no
 * room for them in memory now: the caller looks again after VALUES_ROOM_PAUSE.
 */
struct plan *placement_values_plan(struct placement *placement, bool *ret_waits);

/* The same for a caller that gives the plan back before it suspends: it takes no room. */
struct plan *placement_values_plan_now(struct placement *placement);

/* Whether making such a plan takes so long that it is not done for one event. */
bool placement_values_is_large(const struct placement *placement);

/* For a change of a Cluster: enqueues the placements that may have to be filled anew. */
void placement_values_map(void *data, const struct cache_event *event, struct queue *queue,
                          int priority);
