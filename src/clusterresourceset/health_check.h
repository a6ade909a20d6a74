/*
 * Looks at the health of placements on clusters, one cluster after the other (health.h says when).
 *
 * Of each kind whose objects may not be ready, one list of whole objects is read, narrowed by the
 * label of sets with a policy, in pages; it serves all placements of the cluster whose look is due.
 * What is not in the list, because the label or the right to list is missing, is read by itself. A
 * look writes nothing: it leaves a finding to the placement and enqueues that (placement_health.h).
 */
#pragma once

#include "base/duration.h"
#include "base/str.h"

struct crs_set;
struct placement;

/* How soon a placement is looked at that nobody looks at yet. What settles is, in any case, soon.
 */
enum health_check_when {
    HEALTH_CHECK_AT_ONCE,  /* something was applied: after a second, also if it is looked at */
    HEALTH_CHECK_SOON,     /* the policy asks for it only now */
    HEALTH_CHECK_SOMETIME, /* within an interval, so that a new process does not ask all at once */
};

/*
 * An object of this kind changed in the cluster: the placement is looked at after a second, if it
 * is looked at at all and the kind has rules of readiness. Looks that changes ask for are 10 s
 * apart. Does not suspend.
 */
void health_check_note_change(struct placement *placement, struct str group, struct str kind);

/*
 * For a placement of a set that is open, whenever its policy may have changed or it was reconciled:
 * sees that it is looked at from now on, or that nothing is told any more if its policy has no
 * health.
 */
void health_check_follow(struct crs_set *set, struct placement *placement,
                         enum health_check_when when);
