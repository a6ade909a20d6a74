#include "clusterresourceset/placement_turn.h"

#include "base/memory.h"
#include "clusterresourceset/types/binding.h"

struct placement_turn *placement_turn_new(void)
{
    return NEW(struct placement_turn);
}

void placement_turn_free(struct placement_turn *turn)
{
    if (!turn)
        return;
    plan_free(turn->held);
    mem_free(turn->why);
    mem_free(turn->version);
    mem_free(turn);
}

void placement_turn_hold(struct placement_turn *turn, struct plan *plan)
{
    struct plan *held = plan_ref(plan);
    plan_free(turn->held);
    turn->held = held;
}

bool placement_turn_waits(const struct placement_turn *turn, struct str revision,
                          struct str *ret_why)
{
    if (!str_eq(str_from_c(turn->revision), revision) ||
        (turn->has_other_values && !turn->saw_other_values)) {
        *ret_why = STR("waits until the rollout has been looked at");
        return true;
    }
    *ret_why = str_from_c(turn->why);
    return turn->hold != ROLLOUT_FREE;
}

/* With another revision than that of the plan. */
static enum rollout_stage judge_other(const struct delivery_mark *mark)
{
    const bool settles = mark->is_unready && !mark->is_overdue;
    const bool is_tried = !mark->is_applied && mark->attempts < ROLLOUT_ATTEMPTS;
    return settles || is_tried ? ROLLOUT_OTHER_BEGUN : ROLLOUT_OTHER;
}

static enum rollout_stage judge_applied(const struct delivery_mark *mark, bool has_health)
{
    if (!has_health || !mark->is_unready)
        return ROLLOUT_DONE;
    if (mark->is_overdue)
        return ROLLOUT_OVERDUE;
    return mark->was_done ? ROLLOUT_RELAPSED : ROLLOUT_SETTLING;
}

enum rollout_stage placement_turn_stage(const struct plan *plan, const struct object *binding,
                                        struct str set)
{
    char text[DELIVERY_REVISION_LEN + 1];
    struct delivery_mark mark;
    if (!delivery_find_mark(binding, set, &mark))
        return binding_has_begun(binding, set) ? ROLLOUT_OTHER : ROLLOUT_ABSENT;
    if (!str_eq(str_from_c(mark.revision), plan_revision(plan, text)))
        return judge_other(&mark);
    if (mark.is_applied)
        return judge_applied(&mark, plan_policy(plan)->health_timeout > 0);
    return mark.attempts >= ROLLOUT_ATTEMPTS ? ROLLOUT_FAILED : ROLLOUT_BEGUN;
}

/* With other values it is another revision. What was not ready in time has failed until it is. */
enum rollout_stage placement_turn_outdate(enum rollout_stage stage)
{
    switch (stage) {
    case ROLLOUT_DONE:
    case ROLLOUT_RELAPSED:
        return ROLLOUT_OTHER;
    case ROLLOUT_SETTLING:
        return ROLLOUT_OTHER_BEGUN;
    case ROLLOUT_OVERDUE:
        return ROLLOUT_FAILED;
    default:
        return stage;
    }
}
