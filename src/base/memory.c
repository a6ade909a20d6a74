/*
 * Allocation that cannot fail. A size of 0 allocates one byte, so that NULL always means failure.
 */
#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void mem_exhausted(size_t size)
{
    fprintf(stderr, "corset: out of memory: cannot allocate %zu bytes\n", size);
    abort();
}

void *mem_alloc(size_t size)
{
    void *ptr = malloc(size ? size : 1);
    if (!ptr)
        mem_exhausted(size);
    return ptr;
}

void *mem_alloc_zero(size_t size)
{
    void *ptr = calloc(1, size ? size : 1);
    if (!ptr)
        mem_exhausted(size);
    return ptr;
}

void *mem_realloc(void *ptr, size_t size)
{
    void *moved = realloc(ptr, size ? size : 1);
    if (!moved)
        mem_exhausted(size);
    return moved;
}

void *mem_realloc_array(void *ptr, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        mem_exhausted(SIZE_MAX);
    return mem_realloc(ptr, total);
}

char *mem_dup(const char *ptr, size_t len)
{
    char *copy = mem_alloc(len + 1);
    if (len)
        memcpy(copy, ptr, len);
    copy[len] = '\0';
    return copy;
}

void mem_free(void *ptr)
{
    free(ptr);
}

/*
 * Setting the threshold also keeps glibc from raising it with each large block that is freed. One
 * of the two arenas of malloc() is for the loop's thread, the other for all worker threads: with
 * one for all, the loop waited a thousand times in a rollout to 1,000 clusters for a lock that the
 * thread of the database had.
 */
void mem_return_large(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* NOLINT(concurrency-mt-unsafe): no threads yet */
    mallopt(M_ARENA_MAX, 2);            /* NOLINT(concurrency-mt-unsafe) */
}

/*
 * explicit_bzero() is not removed by the compiler, unlike a memset() of memory that is freed next.
 */
void mem_wipe(void *ptr, size_t len)
{
    if (len)
        explicit_bzero(ptr, len);
}
