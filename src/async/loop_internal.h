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
    struct event turns; /* fibers that wait for theirs, see turn.h */
    bool turn_taken;    /* in this round */
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

/* The real backend, loop_uv.c. */
struct loop_backend *loop_uv_new(void);
