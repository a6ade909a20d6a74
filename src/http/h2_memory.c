/*
 * Frame buffers of nghttp2 sessions in anonymous mappings; see h2_memory.h.
 *
 * A struct h2_frames is one mapping with 64 buffers and a bitmap of free ones. Mappings with a free
 * buffer are in the thread's list with_room; a full mapping is in no list and comes back with its
 * first free buffer. An empty mapping is unmapped. Only one buffer per session comes from here: the
 * first allocation of the size of a frame.
 */
#include "http/h2_memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/list.h"
#include "base/memory.h"

/* nghttp2 allocates a frame with its header and a byte for padding. */
#define FRAME_MIN  ((size_t)16 * 1024)
#define FRAME_SIZE (FRAME_MIN + 64)

#define FRAMES_COUNT 64
#define ALL_FREE     UINT64_MAX

/* The frames come first, so that they share no page with the bookkeeping behind them. */
struct h2_frames {
    char frames[FRAMES_COUNT][FRAME_SIZE];
    struct list_link link; /* in those with room */
    uint64_t free;         /* a bit for each */
};

static _Thread_local struct list with_room;
static _Thread_local size_t frame_count;

static struct h2_frames *map_frames(void)
{
    struct h2_frames *frames = mmap(NULL, sizeof(*frames), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (frames == MAP_FAILED)
        return NULL;
    (void)madvise(frames, sizeof(*frames), MADV_NOHUGEPAGE); /* one write would fill it all */
    frames->free = ALL_FREE;
    list_append(&with_room, &frames->link);
    return frames;
}

static struct h2_frames *find_room(void)
{
    if (!with_room.head.next)
        list_init(&with_room);
    LIST_FOREACH (struct h2_frames, frames, &with_room, link)
        return frames;
    return map_frames();
}

/* NULL when no mapping can be made; the caller then allocates on the heap. */
static void *take_frame(struct h2_memory *memory)
{
    struct h2_frames *frames = find_room();
    if (!frames)
        return NULL;
    const int which = __builtin_ctzll(frames->free);
    frames->free &= ~(UINT64_C(1) << which);
    if (!frames->free)
        list_remove(&frames->link);
    frame_count++;
    *memory = (struct h2_memory){frames, frames->frames[which]};
    return memory->frame;
}

/*
 * Whole pages of the frame go back to the system. Its bytes in pages shared with neighbours are
 * wiped, because frames hold credentials.
 */
static void forget_frame(char *frame)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t before = (page - (uintptr_t)frame % page) % page;
    const size_t behind = ((uintptr_t)frame + FRAME_SIZE) % page;
    mem_wipe(frame, before);
    mem_wipe(frame + FRAME_SIZE - behind, behind);
    (void)madvise(frame + before, FRAME_SIZE - before - behind, MADV_DONTNEED);
}

static void give_frame(struct h2_memory *memory)
{
    struct h2_frames *frames = memory->frames;
    const size_t which = (size_t)(memory->frame - frames->frames[0]) / FRAME_SIZE;
    forget_frame(memory->frame);
    *memory = (struct h2_memory){0};
    frame_count--;
    if (!frames->free)
        list_prepend(&with_room, &frames->link);
    frames->free |= UINT64_C(1) << which;
    if (frames->free != ALL_FREE)
        return;
    list_remove(&frames->link);
    munmap(frames, sizeof(*frames));
}

static void *on_malloc(size_t size, void *data)
{
    struct h2_memory *memory = data;
    void *frame = NULL;
    if (size >= FRAME_MIN && size <= FRAME_SIZE && !memory->frames)
        frame = take_frame(memory);
    return frame ? frame : mem_alloc(size);
}

static void on_free(void *ptr, void *data)
{
    struct h2_memory *memory = data;
    if (ptr && ptr == memory->frame)
        give_frame(memory);
    else
        mem_free(ptr);
}

static void *on_calloc(size_t count, size_t size, void *data)
{
    (void)data;
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        mem_exhausted(SIZE_MAX);
    return mem_alloc_zero(total);
}

/* A frame buffer never grows in place: it moves to the heap. */
static void *on_realloc(void *ptr, size_t size, void *data)
{
    struct h2_memory *memory = data;
    if (!ptr)
        return on_malloc(size, data);
    if (ptr != memory->frame)
        return mem_realloc(ptr, size);
    void *moved = mem_alloc(size);
    memcpy(moved, ptr, size < FRAME_SIZE ? size : FRAME_SIZE);
    give_frame(memory);
    return moved;
}

nghttp2_mem h2_memory_functions(struct h2_memory *memory)
{
    return (nghttp2_mem){memory, on_malloc, on_free, on_calloc, on_realloc};
}

size_t h2_memory_frame_count(void)
{
    return frame_count;
}
