/*
 * Memory that is released all at once: what one request or reconcile reads, decodes or formats.
 *
 * Nothing is freed singly; results live as long as the arena. Allocation itself cannot fail. Past
 * the limit the arena goes on but remembers that, and loops over foreign input ask arena_check(). A
 * size that comes from outside goes through arena_try_alloc(), which returns NULL past the limit.
 *
 *     SCOPED(arena) arena = {.limit = 64 * MEGABYTE};
 *
 * Released memory is poisoned for AddressSanitizer and valgrind, so that its use is reported.
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

/* Releases everything. The arena can be used again. */
void arena_clear(struct arena *arena);

/* Zeroed memory, aligned for any type. Never NULL. */
void *arena_alloc(struct arena *arena, size_t size);

/* The same, or NULL when the allocation would pass the arena's limit. */
void *arena_try_alloc(struct arena *arena, size_t size);

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))

/* Room for count elements; a product that overflows ends the process. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* Copies that end in a NUL byte, which the length does not count. */
struct str arena_str(struct arena *arena, struct str s);
const char *arena_c(struct arena *arena, struct str s);
struct str arena_print(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* The strings one after the other. Code that runs for each request prefers it to arena_print(). */
struct str arena_join(struct arena *arena, const struct str *parts, size_t count);
#define ARENA_JOIN(arena, ...) arena_join(arena, STR_LIST(__VA_ARGS__))

/*
 * Calls release(ptr) when the arena is cleared, the last one first. An arena holds a reference to a
 * counted object this way.
 */
void arena_hold(struct arena *arena, void (*release)(void *ptr), void *ptr);

/* ERROR_TOO_LARGE once the arena has handed out more bytes than its limit. */
MUST_USE struct error *arena_check(const struct arena *arena);
