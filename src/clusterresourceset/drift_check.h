/*
 * Looks for drift on clusters, one after the other, every `--drift-check`; or only when something
 * has changed, with watches (drift_watch.h).
 *
 * Of each kind that sets with a policy have there one list of metadata is read, narrowed by the
 * label of their objects, from the server's cache but not older than our own writes. What is not in
 * the list, because the label or the right to list is missing, is read by itself. A check writes
 * nothing: it leaves a finding to the placement and enqueues that (placement_drift.h).
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/object.h"
#include "base/duration.h"

struct crs_controllers;
struct crs_set;
struct placement;

/* The time until a cluster is checked again: the interval of the options, a little more or less. */
duration drift_check_draw_interval(const struct crs_controllers *controllers);

/* Whether anything is to be told or done about drift of the set. */
bool drift_check_minds(const struct crs_set *set);

/* The cluster has all of the set's plan, as far as the binding says. */
bool drift_check_is_applied(struct crs_set *set, struct placement *placement,
                            const struct object *binding);

/*
 * For a placement of a set that is open, whenever its policy may have changed or it was reconciled:
 * sees that its cluster is checked from now on, or at once if drift is known that the policy now
 * repairs. What is known is forgotten where the policy ignores drift.
 */
void drift_check_follow(struct crs_set *set, struct placement *placement);
