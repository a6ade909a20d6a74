/*
 * Permits: a bounded number of fibers at once, served in the order in which they asked.
 *
 *     struct semaphore slots = {.permits = 256};
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/list.h"

struct semaphore {
    size_t permits; /* free now */
    struct list waiters;
    bool initialised;
};

/* Suspends until a permit is free and takes it. */
MUST_USE struct error *semaphore_take(struct semaphore *semaphore);
void semaphore_give(struct semaphore *semaphore);
