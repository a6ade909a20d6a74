#include "controller/queue_heap.h"

#include <stdbool.h>

#include "base/memory.h"

static bool before(const struct queue_heap_node *a, const struct queue_heap_node *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->order < b->order;
}

static void put(struct queue_heap *heap, size_t place, struct queue_heap_node *node)
{
    heap->nodes[place] = node;
    node->slot = place + 1;
}

static void sift_up(struct queue_heap *heap, size_t place, struct queue_heap_node *node)
{
    for (size_t parent; place > 0; place = parent) {
        parent = (place - 1) / 2;
        if (!before(node, heap->nodes[parent]))
            break;
        put(heap, place, heap->nodes[parent]);
    }
    put(heap, place, node);
}

static void sift_down(struct queue_heap *heap, size_t place, struct queue_heap_node *node)
{
    for (size_t child; (child = 2 * place + 1) < heap->count; place = child) {
        if (child + 1 < heap->count && before(heap->nodes[child + 1], heap->nodes[child]))
            child++;
        if (!before(heap->nodes[child], node))
            break;
        put(heap, place, heap->nodes[child]);
    }
    put(heap, place, node);
}

void queue_heap_done(struct queue_heap *heap)
{
    mem_free(heap->nodes);
    *heap = (struct queue_heap){0};
}

void queue_heap_add(struct queue_heap *heap, struct queue_heap_node *node, int64_t rank)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity ? heap->capacity * 2 : 64;
        heap->nodes = mem_realloc_array(heap->nodes, heap->capacity, sizeof(*heap->nodes));
    }
    node->rank = rank;
    node->order = heap->added++;
    sift_up(heap, heap->count++, node);
}

void queue_heap_remove(struct queue_heap *heap, struct queue_heap_node *node)
{
    if (!node->slot)
        return;
    const size_t place = node->slot - 1;
    node->slot = 0;
    struct queue_heap_node *last = heap->nodes[--heap->count];
    if (last == node)
        return;
    if (place > 0 && before(last, heap->nodes[(place - 1) / 2]))
        sift_up(heap, place, last);
    else
        sift_down(heap, place, last);
}
