/*
 * Timers: a function called on the loop when a point in time has come.
 *
 * A timer lives in the memory of its owner. Zero means "not started", and stopping a timer that is
 * not started does nothing. Timers due at the same time fire in the order in which they were
 * started. The function runs outside any fiber, so it may wake fibers but not suspend.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"

struct loop;
struct timer;

typedef void (*timer_fn)(void *data);

struct timer {
    int64_t due; /* on the loop's clock */
    uint64_t order;
    size_t slot; /* 1 + place in the heap; 0 when not started */
    timer_fn fn;
    void *data;
};

/* Starts the timer, or moves it when it is started already. */
void timer_start(struct loop *loop, struct timer *timer, int64_t due, timer_fn fn, void *data);
void timer_stop(struct loop *loop, struct timer *timer);

static inline bool timer_is_started(const struct timer *timer)
{
    return timer->slot != 0;
}

/* The loop's heap of timers, ordered by due time. */
struct timer_heap {
    struct timer **timers;
    size_t count, capacity;
    uint64_t started;
};

/* Adds the timer, or moves it when it is in the heap already. */
void timer_heap_put(struct timer_heap *heap, struct timer *timer, int64_t due, timer_fn fn,
                    void *data);
void timer_heap_done(struct timer_heap *heap);
int64_t timer_heap_next(const struct timer_heap *heap); /* FOREVER when empty */

/* Calls one timer that is due; false when none is. */
bool timer_heap_fire(struct timer_heap *heap, int64_t now);
