/*
 * The loop's state, for the modules of this folder.
 */
#pragma once

#include "async/event.h"
#include "async/loop.h"
#include "async/loop_turns.h"
#include "async/timer.h"

struct cpu_share;
struct fiber;

/* Worker threads for turns, see cpu_turn_run(). */
struct cpu_turn_threads {
    size_t count, busy;
    struct event first, next; /* fibers that wait for one; those whose work has begun */
};

struct loop {
    struct loop_backend *backend;
    struct timer_heap timers;
    struct list ready;
    struct list last;   /* see loop_post_last() */
    struct list late;   /* see loop_post_late() */
    int64_t late_since; /* when the first of them was posted */
    int late_iterations;
    struct list fibers; /* every fiber that has not ended */
    size_t fiber_count;
    struct event cpu_turns;      /* fibers that wait for the CPU, see cpu_turn.h */
    struct event cpu_turns_next; /* those of them whose work has begun */
    size_t cpu_turn_waiters;
    int64_t cpu_turn_last; /* when a turn was handed out last, or the first fiber came to wait */
    struct cpu_turn_threads cpu_turn_threads;
    struct list shares_in_line; /* shares with ready fibers; see cpu_share.c */
    struct timer_heap shares_ahead;
    int64_t share_time;    /* what the share had used that was served last of those ahead */
    int64_t iterated;      /* when this iteration began */
    int64_t shrunk;        /* when spare stacks were unmapped last */
    bool is_computing;     /* a fiber has the turn of large work, see compute.h */
    struct list computing; /* fibers that wait for it */
    struct loop_turns turns;
    bool turn_goes_on; /* false when the task that runs has ended its turn itself */
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

/* The time until the next turn of the CPU is handed out; FOREVER when no fiber waits for one. */
duration cpu_turn_until_next(const struct loop *loop, int64_t now);

/* Wakes the fiber whose turn of the CPU it is. False when it is not time for a turn. */
bool cpu_turn_hand_out(struct loop *loop, int64_t now);

/* A turn begins behind a wait, at this time; see loop_turns.h. */
void loop_turns_begin(struct loop *loop, int64_t now);

/*
 * The turn ends, and the next one begins. The name is that of the fiber, waits_for what it waits
 * for now, or NULL. Returns what it took, without what the machine took where that is known.
 */
duration loop_turns_end(struct loop *loop, const char *name, const char *waits_for);

/* Runs one task that was taken from a queue. */
void loop_run_task(struct loop *loop, struct task *task);

/* Makes a fiber of the share ready. */
void cpu_share_post(struct cpu_share *share, struct task *task);

/* True when a share has ready fibers. */
bool cpu_shares_wait(const struct loop *loop);

/* Serves the shares for a while. */
void cpu_shares_run(struct loop *loop);

/* The real backend, loop_uv.c. */
struct loop_backend *loop_uv_new(void);
