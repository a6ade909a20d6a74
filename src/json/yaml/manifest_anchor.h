/*
 * Anchors of one document by name, in a hash table. A later anchor replaces an earlier one of the
 * same name.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct manifest_node;
struct manifest_anchor;

struct manifest_anchors {
    struct arena *arena;            /* owns table, entries and names */
    struct manifest_anchor **slots; /* lists of entries, by hash */
    size_t slot_count, count;
    uint64_t seed;
};

void manifest_anchors_init(struct manifest_anchors *anchors, struct arena *arena);

void manifest_anchors_set(struct manifest_anchors *anchors, struct str name,
                          struct manifest_node *node);

/* NULL for an unknown name. */
struct manifest_node *manifest_anchors_find(const struct manifest_anchors *anchors,
                                            struct str name);
