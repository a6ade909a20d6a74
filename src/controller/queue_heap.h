/*
 * A heap of nodes that live in their owners: the smallest rank first, and of equal ranks whoever
 * came first. Adding, removing and moving take logarithmic time. The zero value is empty.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct queue_heap_node {
    int64_t rank;
    uint64_t order;
    size_t slot; /* 1 + place in the heap; 0 when it is in none */
};

struct queue_heap {
    struct queue_heap_node **nodes;
    size_t count, capacity;
    uint64_t added;
};

void queue_heap_done(struct queue_heap *heap);

/* Adds a node that is in no heap, behind others of its rank. */
void queue_heap_add(struct queue_heap *heap, struct queue_heap_node *node, int64_t rank);

/* Does nothing to a node that is in no heap. */
void queue_heap_remove(struct queue_heap *heap, struct queue_heap_node *node);

/* The first one, or NULL. */
static inline struct queue_heap_node *queue_heap_first(const struct queue_heap *heap)
{
    return heap->count ? heap->nodes[0] : NULL;
}
