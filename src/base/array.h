/*
 * Growing arrays.
 *
 * An array is a pointer, a count and a capacity, which are members of any struct. Zero is an empty
 * array. The capacity doubles, so that n pushes copy at most 2n elements.
 *
 *     struct names {
 *         struct str *items;
 *         size_t count, capacity;
 *     };
 *
 *     ARRAY_PUSH(names->items, names->count, names->capacity, name);
 *
 * Elements move when an array grows: a pointer to one is valid until the next push. The value that
 * is pushed is evaluated after the array has grown and must not point into it. Arguments are
 * evaluated more than once.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/memory.h"

/* The heap's array, with room for at least `needed` elements of `size` bytes. */
void *array_reserve(void *items, size_t *capacity, size_t needed, size_t size);

/* The same in an arena, which keeps the outgrown copies until it is released. */
void *array_reserve_in(struct arena *arena, const void *items, size_t count, size_t *capacity,
                       size_t needed, size_t size);

/* Makes room for one more element. The caller frees the array with mem_free(). */
#define ARRAY_GROW(items, count, capacity) \
    ((items) = array_reserve((items), &(capacity), (count) + 1, sizeof(*(items))))

#define ARRAY_PUSH(items, count, capacity, ...)   \
    do {                                          \
        ARRAY_GROW((items), (count), (capacity)); \
        (items)[(count)++] = (__VA_ARGS__);       \
    } while (0)

/* The same for arrays that live in an arena. */
#define ARENA_ARRAY_GROW(arena, items, count, capacity) \
    ((items) =                                          \
         array_reserve_in((arena), (items), (count), &(capacity), (count) + 1, sizeof(*(items))))

#define ARENA_ARRAY_PUSH(arena, items, count, capacity, ...)     \
    do {                                                         \
        ARENA_ARRAY_GROW((arena), (items), (count), (capacity)); \
        (items)[(count)++] = (__VA_ARGS__);                      \
    } while (0)
