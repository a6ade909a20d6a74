#include "clusterresourceset/rollout_condition.h"

#include "clusterresourceset/types/approval.h"

/* What the rollout goes on with, behind the counts. */
static void write_outlook(const struct rollout_decision *decision, struct buf *out)
{
    const struct rollout_state *state = &decision->state;
    const struct rollout_counts *counts = &decision->counts;
    char until[TIMESTAMP_TEXT_MAX];
    switch (state->phase) {
    case ROLLOUT_ROLLING:
        buf_print(out, "; wave %s has %zu clusters, %zu of them not finished", state->wave,
                  counts->in_wave, counts->behind);
        break;
    case ROLLOUT_SOAKING: {
        const struct str text = timestamp_write(decision->soaks_until, until);
        buf_print(out, "; wave %s soaks until %.*s", state->wave, STR_ARG(text));
        break;
    }
    case ROLLOUT_WAITING_FOR_APPROVAL:
        buf_print(out, "; wave %s waits for the token %s/%s in the annotation " APPROVAL_ANNOTATION,
                  state->wave, state->revision, state->wave);
        break;
    case ROLLOUT_HALTED:
        buf_print(out, ", and %zu may; halted in wave %s", counts->tolerated, state->wave);
        break;
    default:
        break;
    }
}

struct condition rollout_condition_make(const struct rollout_decision *decision, int64_t generation,
                                        struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    struct condition condition = {
        .type = STR(ROLLOUT_CONDITION),
        .status = CONDITION_FALSE,
        .reason = STR("Rolling"),
        .observed_generation = generation,
    };
    if (!decision || decision->state.phase == ROLLOUT_NONE) {
        condition.message = STR("the rollout has not begun");
        return condition;
    }
    const struct rollout_counts *counts = &decision->counts;
    if (decision->state.phase == ROLLOUT_ROLLED_OUT)
        condition.status = CONDITION_TRUE;
    condition.reason = rollout_phase_name(decision->state.phase);
    buf_print(&text, "%zu of %zu clusters have revision %s", counts->done, counts->clusters,
              decision->state.revision);
    if (counts->failed)
        buf_print(&text, ", %zu failed", counts->failed);
    write_outlook(decision, &text);
    condition.message = arena_str(arena, buf_str(&text));
    return condition;
}
