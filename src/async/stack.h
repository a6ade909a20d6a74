/*
 * Stacks for fibers: mapped with guard pages below them and kept in a pool.
 *
 * Only pages that were touched cost memory. Running over the end hits the guard: the process stops
 * with a message that names the fiber, never with silent corruption.
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

/* A stack from the pool or a new one. Ends the process when none can be mapped. */
struct stack stack_take(void);
void stack_give(struct stack stack);

/* Unmaps some of what the pool keeps beyond a few: for moments without work. */
void stack_pool_shrink(void);

/* Unmaps what the pool keeps. */
void stack_pool_trim(void);

/*
 * Makes a fault in a guard page print the name that name_of(address) gives (NULL: not one of ours)
 * before the process ends. Installed once; other faults go to whoever handled them before.
 */
void stack_watch_overflow(const char *(*name_of)(const void *address));
