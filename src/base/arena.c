/*
 * Memory that is released all at once.
 *
 * An arena is a chain of blocks, the newest first, and allocation cuts pieces off the newest one.
 * The first block has 1 KiB and each further block twice the size of the one before, up to 64 KiB.
 * An allocation that does not fit gets a block of its own size. The rest of an older block is not
 * used again.
 *
 * Released blocks of the usual sizes go to a list of spare blocks of the thread (take_block(),
 * give_block()), because nearly every request makes an arena and releases it. Memory that is not
 * handed out is poisoned, so that AddressSanitizer and valgrind report its use.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sanitizer.h"

#if SANITIZE_ADDRESS
#include <sanitizer/asan_interface.h>
#define POISON(ptr, len)   __asan_poison_memory_region(ptr, len)
#define UNPOISON(ptr, len) __asan_unpoison_memory_region(ptr, len)
#elif KNOWS_VALGRIND
#include <valgrind/memcheck.h>
#define POISON(ptr, len)   ((void)VALGRIND_MAKE_MEM_NOACCESS(ptr, len))
#define UNPOISON(ptr, len) ((void)VALGRIND_MAKE_MEM_UNDEFINED(ptr, len))
#else
#define POISON(ptr, len)   ((void)0)
#define UNPOISON(ptr, len) ((void)0)
#endif

#define ALIGNMENT   _Alignof(max_align_t)
#define BLOCK_FIRST ((size_t)1024)
#define BLOCK_MAX   (64 * KILOBYTE)

/* Longer texts are formatted twice. */
#define PRINTED_MOSTLY 256

struct arena_block {
    struct arena_block *older;
    size_t used, size;
    _Alignas(max_align_t) char bytes[];
};

/*
 * Spare blocks, by size: 1 KiB, 2 KiB and so on up to 64 KiB. malloc() would split and join them
 * again for each request. Builds with a sanitizer keep none, so that each block is seen to be
 * allocated and freed.
 */
#define SPARE_SIZES 7 /* 1 KiB to 64 KiB */
#define SPARE_MAX   ((size_t)256 * KILOBYTE)
#define KEEPS_SPARE (!SANITIZE_ADDRESS && !SANITIZE_THREAD)

static _Thread_local struct arena_block *spare[SPARE_SIZES];
static _Thread_local size_t spare_bytes;

/* A function that arena_clear() calls. It lies in the arena itself. */
struct arena_hold {
    struct arena_hold *older;
    void (*release)(void *ptr);
    void *ptr;
};

/* The index into spare[] of blocks with this total size; SPARE_SIZES for any other size. */
static size_t slot_of(size_t total)
{
    size_t slot = 0;
    while (slot < SPARE_SIZES && BLOCK_FIRST << slot != total)
        slot++;
    return slot;
}

/*
 * The total counts the header of the block. A spare block keeps the bytes of its last use;
 * arena_alloc() zeroes what it hands out.
 */
static struct arena_block *take_block(size_t total)
{
    const size_t slot = slot_of(total);
    if (slot == SPARE_SIZES || !spare[slot])
        return mem_alloc(total);
    struct arena_block *block = spare[slot];
    UNPOISON(block, total);
    spare[slot] = block->older;
    spare_bytes -= total;
    return block;
}

/*
 * Keeps the block for the next arena of this thread, or frees it when SPARE_MAX bytes are kept
 * already.
 */
static void give_block(struct arena_block *block)
{
    const size_t total = sizeof(*block) + block->size, slot = slot_of(total);
    UNPOISON(block->bytes, block->size);
    if (!KEEPS_SPARE || slot == SPARE_SIZES || spare_bytes + total > SPARE_MAX) {
        mem_free(block);
        return;
    }
    block->older = spare[slot];
    spare[slot] = block;
    spare_bytes += total;
    POISON(block->bytes, block->size);
}

static size_t limit_of(const struct arena *arena)
{
    return arena->limit ? arena->limit : ARENA_LIMIT_DEFAULT;
}

/* Functions given to arena_hold() run first: what they release may point into the blocks. */
void arena_clear(struct arena *arena)
{
    while (arena->holds) {
        struct arena_hold *hold = arena->holds;
        arena->holds = hold->older;
        hold->release(hold->ptr);
    }
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->older;
        give_block(block);
    }
    arena->used = 0;
}

void arena_done(struct arena *arena)
{
    arena_clear(arena);
}

/*
 * The size of the next block, header included: twice the newest one, at most BLOCK_MAX, but never
 * less than the allocation needs. A small arena stays small and a large one has few blocks.
 */
static size_t next_total(const struct arena *arena, size_t need)
{
    const struct arena_block *newest = arena->blocks;
    const size_t total_min = sizeof(*newest) + need;
    size_t total = BLOCK_FIRST;
    while (newest && total < BLOCK_MAX && total < 2 * (sizeof(*newest) + newest->size))
        total *= 2;
    return total < total_min ? total_min : total;
}

static struct arena_block *add_block(struct arena *arena, size_t need)
{
    const size_t total = next_total(arena, need);
    struct arena_block *block = take_block(total);
    *block = (struct arena_block){.older = arena->blocks, .size = total - sizeof(*block)};
    POISON(block->bytes, block->size);
    arena->blocks = block;
    return block;
}

/*
 * An allocation of 0 bytes takes a place too, so that its address differs from all others. Only the
 * bytes that were asked for are unpoisoned: reading the padding behind them is reported.
 */
void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        mem_exhausted(size);
    size_t padded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (padded == 0)
        padded = ALIGNMENT;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < padded)
        block = add_block(arena, padded);
    char *ptr = block->bytes + block->used;
    block->used += padded;
    arena->used += padded;
    UNPOISON(ptr, size ? size : 1);
    memset(ptr, 0, size);
    return ptr;
}

void *arena_try_alloc(struct arena *arena, size_t size)
{
    if (arena->used > limit_of(arena) || size > limit_of(arena) - arena->used)
        return NULL;
    return arena_alloc(arena, size);
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        mem_exhausted(SIZE_MAX);
    return arena_alloc(arena, total);
}

const char *arena_c(struct arena *arena, struct str s)
{
    char *copy = arena_alloc(arena, s.len + 1);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return copy;
}

struct str arena_str(struct arena *arena, struct str s)
{
    return str_from(arena_c(arena, s), s.len);
}

struct str arena_join(struct arena *arena, const struct str *parts, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    char *text = arena_alloc(arena, len + 1), *end = text;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len)
            memcpy(end, parts[i].ptr, parts[i].len);
        end += parts[i].len;
    }
    return str_from(text, len);
}

/* Formats twice: once for the length, once into memory of that length. */
struct str arena_print(struct arena *arena, const char *format, ...)
{
    char start[PRINTED_MOSTLY];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(start, sizeof(start), format, args);
    va_end(args);
    if (len < 0)
        mem_exhausted(0);
    char *text = arena_alloc(arena, (size_t)len + 1);
    if ((size_t)len < sizeof(start))
        memcpy(text, start, (size_t)len + 1);
    else
        vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return str_from(text, (size_t)len);
}

void arena_hold(struct arena *arena, void (*release)(void *ptr), void *ptr)
{
    struct arena_hold *hold = ARENA_NEW(arena, struct arena_hold);
    *hold = (struct arena_hold){.older = arena->holds, .release = release, .ptr = ptr};
    arena->holds = hold;
}

struct error *arena_check(const struct arena *arena)
{
    if (arena->used <= limit_of(arena))
        return NULL;
    return error_new(ERROR_TOO_LARGE, "needs more memory than the limit of %zu bytes",
                     limit_of(arena));
}
