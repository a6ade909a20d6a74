#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

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
#define BLOCK_MOST  (64 * KILOBYTE)

struct arena_block {
    struct arena_block *older;
    size_t used, size;
    _Alignas(max_align_t) char bytes[];
};

struct arena_hold {
    struct arena_hold *older;
    void (*release)(void *ptr);
    void *ptr;
};

static size_t limit_of(const struct arena *arena)
{
    return arena->limit ? arena->limit : ARENA_LIMIT_DEFAULT;
}

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
        UNPOISON(block->bytes, block->size);
        mem_free(block);
    }
    arena->used = 0;
}

void arena_done(struct arena *arena)
{
    arena_clear(arena);
}

/* Blocks double, so that a small arena stays small and a large one has few blocks. */
static struct arena_block *add_block(struct arena *arena, size_t need)
{
    size_t size =
        arena->blocks ? arena->blocks->size * 2 : BLOCK_FIRST - sizeof(struct arena_block);
    if (size > BLOCK_MOST)
        size = BLOCK_MOST;
    if (size < need)
        size = need;
    struct arena_block *block = mem_alloc(sizeof(*block) + size);
    *block = (struct arena_block){.older = arena->blocks, .size = size};
    POISON(block->bytes, size);
    arena->blocks = block;
    return block;
}

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

struct str arena_print(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        mem_exhausted(0);
    char *text = arena_alloc(arena, (size_t)len + 1);
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
