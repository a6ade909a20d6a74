/*
 * The turn of one placement in a rollout (rollout.h): whether the cluster may get the revision, and
 * what it has instead while it waits.
 *
 * The set decides (set_rollout.h) and leaves the outcome here; the placement goes by it. All of it
 * may be lost: whether a cluster has begun is recorded in its binding.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clusterresourceset/plan.h"
#include "clusterresourceset/rollout.h"

struct placement;

struct placement_turn {
    /* What was decided, and of which revision; an empty one: nothing yet. */
    enum rollout_hold hold;
    char revision[DELIVERY_REVISION_LEN + 1];
    char *why;                   /* of a hold, for people; NULL: none */
    struct rollout_cluster seen; /* by these facts; its name is not kept */
    /* The revision that is being applied at this moment; an empty one: none. */
    char running[DELIVERY_REVISION_LEN + 1];
    struct plan *held; /* by which everything was applied last; NULL: not known */
    /* What the binding says, in this version of it, of this revision. */
    enum rollout_stage stage;
    char *version; /* NULL: nothing */
    char stage_revision[DELIVERY_REVISION_LEN + 1];
    bool has_health;
    bool is_age_known, is_new; /* the Cluster is younger than the set */
    /* The last reconcile found other values of the Cluster in the objects; the decision knows. */
    bool has_other_values, saw_other_values;
};

struct placement_turn *placement_turn_new(void);
void placement_turn_free(struct placement_turn *turn); /* may be NULL */

/* Everything of the plan was applied. Keeps a reference. */
void placement_turn_hold(struct placement_turn *turn, struct plan *plan);

/*
 * Whether the cluster has to wait for its turn with this revision. *ret_why, borrowed, says why.
 * It also waits while the rollout has not decided yet about the revision or about changed values.
 */
bool placement_turn_waits(const struct placement_turn *turn, struct str revision,
                          struct str *ret_why);

/*
 * How far the cluster is with the revision of a plan, by its binding, which may be NULL. Pure; the
 * facts that are not in the binding come on top of it.
 */
enum rollout_stage placement_turn_stage(const struct plan *plan, const struct object *binding,
                                        struct str set);

/* The stage of a cluster whose objects have to get other values of the Cluster. Pure. */
enum rollout_stage placement_turn_outdate(enum rollout_stage stage);
