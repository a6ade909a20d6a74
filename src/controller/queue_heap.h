/*
 * A binary heap of nodes that are members of other structs. The smallest rank comes first, nodes of
 * equal rank in the order in which they were added. Adding and removing take logarithmic time. Zero
 * is an empty heap.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct queue_heap_node {
    int64_t rank;
    uint64_t order;
    size_t slot; /* 1 + index in the heap; 0: in no heap */
};

struct queue_heap {
    struct queue_heap_node **nodes;
    size_t count, capacity;
    uint64_t added; /* number of nodes ever added, for their order */
};

void queue_heap_done(struct queue_heap *heap);

/* Adds a node that is in no heap, behind all others of its rank. */
void queue_heap_add(struct queue_heap *heap, struct queue_heap_node *node, int64_t rank);

/* Does nothing to a node that is in no heap. */
void queue_heap_remove(struct queue_heap *heap, struct queue_heap_node *node);

/* The first node, or NULL. */
static inline struct queue_heap_node *queue_heap_first(const struct queue_heap *heap)
{
    return heap->count ? heap->nodes[0] : NULL;
}
