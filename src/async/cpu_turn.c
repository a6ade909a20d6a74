#include "async/cpu_turn.h"

#include "async/loop_internal.h"

/* About what a piece takes: it is put off while something is due sooner than that, */
#define LENGTH (2 * MILLISECOND)

/* but not for longer than this, shared by all who wait: a crowd is not held up. */
#define PATIENCE (16 * MILLISECOND)

struct error *cpu_turn_take(void)
{
    struct loop *loop = loop_current();
    if (!loop->cpu_turn_waiters++)
        loop->cpu_turn_last = loop_now(loop);
    struct error *err = event_wait(&loop->cpu_turns, "its turn");
    loop->cpu_turn_waiters--;
    return err;
}

bool cpu_turn_is_awaited(const struct loop *loop)
{
    return event_has_waiters(&loop->cpu_turns);
}

duration cpu_turn_until_next(const struct loop *loop, int64_t now)
{
    if (!cpu_turn_is_awaited(loop))
        return FOREVER;
    const int64_t last = loop->cpu_turn_last + PATIENCE / (int64_t)loop->cpu_turn_waiters;
    const int64_t next = timer_heap_next(&loop->timers);
    if (now >= last || next == FOREVER || next - now >= LENGTH)
        return 0;
    return last - now;
}

bool cpu_turn_hand_out(struct loop *loop, int64_t now)
{
    if (cpu_turn_until_next(loop, now) != 0)
        return false;
    loop->cpu_turn_last = now;
    event_wake_one(&loop->cpu_turns);
    return true;
}
