/*
 * Growing arrays: the functions behind the macros of array.h.
 */
#include "base/array.h"

#include <string.h>

/* Most arrays hold a handful of elements. */
#define FIRST_CAPACITY 4

/* Doubles the capacity until the needed elements fit. */
static size_t grown_capacity(size_t capacity, size_t needed)
{
    size_t grown = capacity ? capacity : FIRST_CAPACITY;
    while (grown < needed)
        if (__builtin_mul_overflow(grown, 2, &grown))
            mem_exhausted(needed);
    return grown;
}

void *array_reserve(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return items;
    *capacity = grown_capacity(*capacity, needed);
    return mem_realloc_array(items, *capacity, size);
}

/*
 * An arena cannot grow a piece of memory, so the elements move to a new one. The old one stays
 * allocated until the arena is released; with doubling, all old copies together are no larger than
 * the new one.
 */
void *array_reserve_in(struct arena *arena, const void *items, size_t count, size_t *capacity,
                       size_t needed, size_t size)
{
    if (needed <= *capacity)
        return (void *)items;
    *capacity = grown_capacity(*capacity, needed);
    void *grown = arena_alloc_array(arena, *capacity, size);
    if (count)
        memcpy(grown, items, count * size);
    return grown;
}
