#include "cmd/approve_wave.h"

#include "apimachinery/condition.h"
#include "clusterresourceset/rollout_condition.h"
#include "cmd/terminal.h"

bool approve_wave_find(const struct object *set, struct str wave, struct arena *arena,
                       struct str *ret_token, struct buf *out)
{
    struct condition told;
    const struct rollout_state state = rollout_read(set);
    const bool is_this = str_eq(str_from_c(state.wave), wave);
    if (state.phase != ROLLOUT_WAITING_FOR_APPROVAL || !is_this) {
        const struct str phase = rollout_phase_name(state.phase);
        if (state.phase == ROLLOUT_NONE)
            buf_add(out, STR("the set has no rollout\n"));
        else
            buf_print(out, "wave %.*s does not wait for an approval; wave %s: %.*s\n",
                      STR_ARG(wave), state.wave, STR_ARG(phase));
        return false;
    }
    buf_print(out, "  wave %s gets revision %s\n", state.wave, state.revision);
    if (condition_find(object_path(set, "status.conditions"), STR(ROLLOUT_CONDITION), &told) &&
        told.message.len) {
        buf_add(out, STR("  "));
        terminal_add_shown(out, told.message);
        buf_add_char(out, '\n');
    }
    *ret_token = arena_print(arena, "%s/%s", state.revision, state.wave);
    return true;
}
