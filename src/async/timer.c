/*
 * Timers in a binary heap, the next one to fire first.
 *
 * The heap is an array of pointers; each timer knows its place in it (slot), so that stopping a
 * timer needs no search. Ties are broken by the order of starting, which makes the order of firing
 * total and runs repeatable.
 */
#include "async/timer.h"

#include "async/loop_internal.h"
#include "base/array.h"

static bool fires_before(const struct timer *a, const struct timer *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void place_timer(struct timer_heap *heap, size_t place, struct timer *timer)
{
    heap->timers[place] = timer;
    timer->slot = place + 1;
}

/* Moves timers down to make a hole for this one, from place towards the root. */
static void sift_up(struct timer_heap *heap, size_t place, struct timer *timer)
{
    while (place > 0) {
        const size_t parent = (place - 1) / 2;
        if (!fires_before(timer, heap->timers[parent]))
            break;
        place_timer(heap, place, heap->timers[parent]);
        place = parent;
    }
    place_timer(heap, place, timer);
}

/* The same from place towards the leaves. */
static void sift_down(struct timer_heap *heap, size_t place, struct timer *timer)
{
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && fires_before(heap->timers[child + 1], heap->timers[child]))
            child++;
        if (!fires_before(heap->timers[child], timer))
            break;
        place_timer(heap, place, heap->timers[child]);
        place = child;
    }
    place_timer(heap, place, timer);
}

/*
 * The last timer fills the hole. It may belong above or below the hole, since it comes from another
 * branch.
 */
static void heap_remove(struct timer_heap *heap, struct timer *timer)
{
    const size_t place = timer->slot - 1;
    timer->slot = 0;
    struct timer *last = heap->timers[--heap->count];
    if (last == timer)
        return;
    if (place > 0 && fires_before(last, heap->timers[(place - 1) / 2]))
        sift_up(heap, place, last);
    else
        sift_down(heap, place, last);
}

void timer_heap_put(struct timer_heap *heap, struct timer *timer, int64_t due, timer_fn fn,
                    void *data)
{
    if (timer->slot)
        heap_remove(heap, timer);
    timer->due = due;
    timer->order = heap->started++;
    timer->fn = fn;
    timer->data = data;
    ARRAY_GROW(heap->timers, heap->count, heap->capacity);
    sift_up(heap, heap->count++, timer);
}

void timer_start(struct loop *loop, struct timer *timer, int64_t due, timer_fn fn, void *data)
{
    timer_heap_put(loop_timers(loop), timer, due, fn, data);
}

void timer_stop(struct loop *loop, struct timer *timer)
{
    if (timer->slot)
        heap_remove(loop_timers(loop), timer);
}

void timer_heap_done(struct timer_heap *heap)
{
    mem_free(heap->timers);
    *heap = (struct timer_heap){0};
}

int64_t timer_heap_next(const struct timer_heap *heap)
{
    return heap->count ? heap->timers[0]->due : FOREVER;
}

/* One timer at a time: its function may start and stop others. */
bool timer_heap_fire(struct timer_heap *heap, int64_t now)
{
    if (timer_heap_next(heap) > now)
        return false;
    struct timer *timer = heap->timers[0];
    heap_remove(heap, timer);
    timer->fn(timer->data);
    return true;
}
