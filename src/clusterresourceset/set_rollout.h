/*
 * The rollout of a set, as the controllers keep it: what rollout.h decides by, the annotation that
 * holds its state, and what is told of it.
 *
 * A set with waves is looked at whenever it is reconciled, before it has its plan. The outcome for
 * every cluster is left in its placement (placement_turn.h). A placement whose facts have changed
 * asks for another look.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/rollout.h"

/* The last decision, and when the next look may come. */
struct set_rollout {
    struct rollout_decision decision;
    int64_t look_at; /* by the clock of the loop */
};

struct crs_set;
struct placement;
struct plan;

/*
 * Looks at the rollout of the plan that the set is about to have. An error: the annotation could
 * not be written, and clusters that have not begun wait. Suspends; not after the last decision.
 */
MUST_USE struct error *set_rollout_look(struct crs_set *set, const struct plan *plan);

/* Whether the plan is rolled out in waves. */
bool set_rollout_has_waves(const struct plan *plan);

/*
 * Whether the placement has to wait before anything of the plan is applied. *ret_why, borrowed,
 * says why. Does not suspend.
 */
bool set_rollout_waits(struct placement *placement, const struct plan *plan, struct str *ret_why);

/*
 * Tells whether objects of the cluster have the values in them that the plan, which is one for the
 * cluster, has. Those that change wait for their turn, as a revision does. Does not suspend.
 */
void set_rollout_note_values(struct placement *placement, const struct plan *plan,
                             const struct object *binding);

/* Whether it is one that failed with the revision, and is to be tried again. */
bool set_rollout_has_failed(const struct placement *placement);

/* The placement begins, and ends, to apply the plan. */
void set_rollout_begin(struct placement *placement, const struct plan *plan);
void set_rollout_end(struct placement *placement);

/* The placement was reconciled: the set is looked at again if that has changed anything. */
void set_rollout_note(struct placement *placement);

/* "wave canary (Soaking)"; empty: the rollout is over, or there is none. */
struct str set_rollout_describe(struct crs_set *set, struct arena *arena);
