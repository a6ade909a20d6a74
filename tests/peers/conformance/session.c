#include "peers/conformance/session.h"

static struct error *run_one(struct replay *replay, const struct choice *choice,
                             struct report *report)
{
    SCOPED(arena) arena = {0};
    SCOPED(answer) answer = {0};
    struct differences differences = {.arena = &arena};
    TRY(replay_exchange(replay, choice->exchange, &answer, &differences));
    if (choice->reported)
        report_exchange(report, choice->exchange, &answer, &differences);
    return NULL;
}

struct error *session_run(struct loop *loop, const struct replay_options *options,
                          const struct choices *choices, struct report *report)
{
    OWNED(replay) replay = replay_new(loop, options);
    for (size_t i = 0; i < choices->count; i++) {
        const struct choice *choice = &choices->items[i];
        if (!choice->skipped)
            TRY(run_one(replay, choice, report));
        else if (choice->reported)
            report_skipped(report, choice->exchange);
    }
    return NULL;
}
