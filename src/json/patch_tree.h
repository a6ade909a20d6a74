/*
 * A document under change: untouched parts stay borrowed values, changed containers become nodes
 * with a list of slots. Private to this folder; json_edit and json_patch are built on it.
 *
 * Borrowed values must outlive the tree. Work that grows with the size of containers (searching
 * members, moving elements) is counted and limited, so that a small patch cannot take minutes.
 */
#pragma once

#include "json/builder_internal.h"

/* A member or an element: a borrowed value, or an opened container. */
struct patch_slot {
    struct str key; /* of a member */
    const yyjson_val *value;
    struct patch_node *node; /* the opened container; replaces value unless NULL */
};

struct patch_node {
    bool object;
    size_t count, capacity;
    struct patch_slot *slots;
};

/* Limit of slots searched and moved, a few tenths of a second of work. */
#define PATCH_WORK_MAX ((size_t)1 << 26)

struct patch_tree {
    struct patch_slot root;
    struct arena arena; /* nodes, and keys and scalars that were added */
    size_t work;
};

void patch_tree_init(struct patch_tree *tree, const yyjson_val *root);
void patch_tree_done(struct patch_tree *tree);

/* ERROR_TOO_LARGE once the work is too much. */
MUST_USE struct error *patch_tree_check(const struct patch_tree *tree);

/* Opens the container in a slot for changes; NULL when the slot holds no container. */
struct patch_node *patch_tree_open(struct patch_tree *tree, struct patch_slot *slot);

/* Makes the slot an empty object. */
struct patch_node *patch_tree_open_new(struct patch_tree *tree, struct patch_slot *slot);

/* The member, or NULL. */
struct patch_slot *patch_tree_find(struct patch_tree *tree, struct patch_node *object,
                                   struct str key);

/* Replaces a member or adds it; the key is copied. */
struct patch_slot *patch_tree_put(struct patch_tree *tree, struct patch_node *object,
                                  struct str key, struct patch_slot content);

/* The index is at most the count. */
void patch_tree_insert(struct patch_tree *tree, struct patch_node *array, size_t index,
                       struct patch_slot content);

/* Takes a slot out of its container; later ones move up. */
void patch_tree_remove(struct patch_tree *tree, struct patch_node *container,
                       struct patch_slot *slot);

/* A copy of a string that lives as long as the tree. */
struct str patch_tree_str(struct patch_tree *tree, struct str s);

/* A value that lives as long as the tree; the caller fills it. */
yyjson_val *patch_tree_value(struct patch_tree *tree);

bool patch_slot_is_null(const struct patch_slot *slot);

/* Adds the content of the slot to the builder. */
void patch_tree_write(const struct patch_slot *slot, struct json_builder *builder);
