/*
 * Allocation that cannot fail.
 *
 * Running out of memory ends the process with a message. Nothing useful could be done instead, and
 * everything that can become large is bounded by a limit before it is allocated (see buf.h,
 * arena.h).
 */
#pragma once

#include <stddef.h>

#include "base/owned.h"

void *mem_alloc(size_t size);
void *mem_alloc_zero(size_t size);
void *mem_realloc(void *ptr, size_t size);

/* As mem_realloc(), for count * size bytes. A product that overflows ends the process. */
void *mem_realloc_array(void *ptr, size_t count, size_t size);

/* A copy of len bytes with a NUL behind them. */
char *mem_dup(const char *ptr, size_t len);

void mem_free(void *ptr);

/*
 * For programs, at their start: blocks of a megabyte and more go back to the system when they are
 * freed, and all worker threads share their memory. Otherwise one large answer of one server stays
 * part of the process for good.
 */
void mem_return_large(void);

/* Overwrites memory in a way that the compiler does not remove. */
void mem_wipe(void *ptr, size_t len);

/* Reports that size bytes could not be allocated, and ends the process. */
_Noreturn void mem_exhausted(size_t size);

static inline void mem_freep(void *p)
{
    mem_free(*(void **)p);
}

#define NEW(type) ((type *)mem_alloc_zero(sizeof(type)))
