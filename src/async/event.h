/*
 * A place where fibers wait for a change. As with a condition variable, the waker changes the state
 * first, and a woken fiber checks the state again: it may have changed once more.
 *
 *     while (!queue->count)
 *         TRY(event_wait(&queue->changed, "work"));
 *
 * The zero value is an event without waiters.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/list.h"

struct event {
    struct list waiters;
    bool initialised;
};

/* Suspends until woken. */
MUST_USE struct error *event_wait(struct event *event, const char *what);

/* Wakes the fiber that has waited longest, or all of them. */
void event_wake_one(struct event *event);
void event_wake_all(struct event *event);

bool event_has_waiters(const struct event *event);
