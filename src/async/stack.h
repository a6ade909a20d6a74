/*
 * Stacks for fibers: mapped with a guard below them and kept in a pool.
 *
 * Only pages that were touched use memory. Running over the end of a stack hits the guard: the
 * process ends with a message that names the fiber, and never corrupts memory silently.
 */
#pragma once

#include <stddef.h>

#include "base/owned.h"

struct stack {
    char *bottom; /* lowest usable byte; the guard lies below */
    size_t size;
};

#define STACK_GUARD ((size_t)16 * 1024)

/* Usable size of every stack: 64 KiB, more in sanitizer builds, whose frames are larger. */
size_t stack_size(void);

/* Returns a stack from the pool or maps a new one. Ends the process when none can be mapped. */
struct stack stack_take(void);
void stack_give(struct stack stack);

/* Gives pages below the caller's frame, which functions that have returned used, to the system. */
void stack_trim(struct stack stack);

/* Unmaps a few stacks of a large pool. The loop calls it when it is about to wait. */
void stack_pool_shrink(void);

/* Unmaps all stacks of the pool. */
void stack_pool_trim(void);

/*
 * Makes a fault in a guard page print the name that name_of(address) returns (NULL: no guard page
 * of ours) before the process ends. Installed once; other faults go to the handler that was set
 * before.
 */
void stack_watch_overflow(const char *(*name_of)(const void *address));
