/*
 * Memory that is released all at once: what one request or reconcile reads, decodes or formats.
 *
 * Nothing is freed singly; results live as long as the arena. Allocation itself cannot fail: past
 * the limit the arena goes on but remembers, and loops over foreign input ask arena_check(). A size
 * that comes from outside goes through arena_try_alloc(), which refuses instead.
 *
 *     SCOPED(arena) arena = {.limit = 64 * MEGABYTE};
 *
 * Poisoned for AddressSanitizer and valgrind: using memory of a released arena is found.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

#define ARENA_LIMIT_DEFAULT (64 * MEGABYTE)

struct arena_block;
struct arena_hold;

struct arena {
    size_t limit; /* 0 means ARENA_LIMIT_DEFAULT */
    size_t used;  /* bytes handed out */
    struct arena_block *blocks;
    struct arena_hold *holds;
};

void arena_done(struct arena *arena);

/* Releases everything, ready for use again. */
void arena_clear(struct arena *arena);

/* Zeroed memory, aligned for any type. Never NULL. */
void *arena_alloc(struct arena *arena, size_t size);

/* The same, or NULL when the arena's limit would be passed. */
void *arena_try_alloc(struct arena *arena, size_t size);

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))

/* Room for count elements; a product that overflows ends the process. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* Copies with a NUL behind them. */
struct str arena_str(struct arena *arena, struct str s);
const char *arena_c(struct arena *arena, struct str s);
struct str arena_print(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* Calls release(ptr) when the arena is cleared, last one first: how an arena holds a reference. */
void arena_hold(struct arena *arena, void (*release)(void *ptr), void *ptr);

/* ERROR_TOO_LARGE once more than the limit was handed out. */
MUST_USE struct error *arena_check(const struct arena *arena);
