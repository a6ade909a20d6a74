/*
 * The usual array heap: the children of index i are at 2i + 1 and 2i + 2. Each node knows its
 * index, so that it can be removed from the middle.
 */
#include "controller/queue_heap.h"

#include <stdbool.h>

#include "base/array.h"
#include "base/memory.h"

static bool is_before(const struct queue_heap_node *a, const struct queue_heap_node *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->order < b->order;
}

static void put_node(struct queue_heap *heap, size_t place, struct queue_heap_node *node)
{
    heap->nodes[place] = node;
    node->slot = place + 1;
}

static void sift_up(struct queue_heap *heap, size_t place, struct queue_heap_node *node)
{
    for (size_t parent; place > 0; place = parent) {
        parent = (place - 1) / 2;
        if (!is_before(node, heap->nodes[parent]))
            break;
        put_node(heap, place, heap->nodes[parent]);
    }
    put_node(heap, place, node);
}

static void sift_down(struct queue_heap *heap, size_t place, struct queue_heap_node *node)
{
    for (size_t child; (child = 2 * place + 1) < heap->count; place = child) {
        if (child + 1 < heap->count && is_before(heap->nodes[child + 1], heap->nodes[child]))
            child++;
        if (!is_before(heap->nodes[child], node))
            break;
        put_node(heap, place, heap->nodes[child]);
    }
    put_node(heap, place, node);
}

void queue_heap_done(struct queue_heap *heap)
{
    mem_free(heap->nodes);
    *heap = (struct queue_heap){0};
}

void queue_heap_add(struct queue_heap *heap, struct queue_heap_node *node, int64_t rank)
{
    ARRAY_GROW(heap->nodes, heap->count, heap->capacity);
    node->rank = rank;
    node->order = heap->added++;
    sift_up(heap, heap->count++, node);
}

/* The last node fills the gap. It may belong above or below it. */
void queue_heap_remove(struct queue_heap *heap, struct queue_heap_node *node)
{
    if (!node->slot)
        return;
    const size_t place = node->slot - 1;
    node->slot = 0;
    struct queue_heap_node *last = heap->nodes[--heap->count];
    if (last == node)
        return;
    if (place > 0 && is_before(last, heap->nodes[(place - 1) / 2]))
        sift_up(heap, place, last);
    else
        sift_down(heap, place, last);
}
