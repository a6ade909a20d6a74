/* What the modules of this folder share about the loop. */
#pragma once

#include "async/event.h"
#include "async/loop.h"
#include "async/timer.h"

struct fiber;

struct loop {
    struct loop_backend *backend;
    struct timer_heap timers;
    struct list ready;
    struct list fibers; /* all that exist */
    size_t fiber_count;
    struct event cpu_turns; /* fibers that wait for the CPU, see cpu_turn.h */
    size_t cpu_turn_waiters;
    int64_t cpu_turn_last; /* when one was handed out, or the first came to wait */
    struct fiber *current;
    struct random *random;
    loop_park_hook park_hook;
    void *park_hook_data;

    /* The thread's own stack, to which fibers switch back. */
    void *context;
    void *tsan_fiber;
    const void *stack_bottom;
    size_t stack_size;
};

static inline struct timer_heap *loop_timers(struct loop *loop)
{
    return &loop->timers;
}

/* How long until a turn is handed out: FOREVER when nobody waits for one. */
duration cpu_turn_until_next(const struct loop *loop, int64_t now);

/* Wakes whose turn it is now, if anybody's. */
bool cpu_turn_hand_out(struct loop *loop, int64_t now);

/* The real backend, loop_uv.c. */
struct loop_backend *loop_uv_new(void);
