/*
 * A map from strings to pointers in the bytewise order of its keys.
 *
 *     SCOPED(tree) tree = {0};
 *     tree_put(&tree, STR("pods/a"), pod);
 *     for (struct tree_node *node = tree_seek(&tree, start); node; node = tree_next(node))
 *         if (!list(tree_key(node), node->value))
 *             break;
 *
 * Finding, putting and removing take logarithmic time, a step to the neighbour constant time on
 * average. Keys are copied. Values belong to the caller, unless a release function is given: then
 * to the tree, which calls it for values it still holds when it is cleared or an element removed.
 *
 * Nodes stay where they are until they are removed, whatever happens to others. A walk that may
 * suspend keeps the last key instead and goes on with tree_seek_after().
 *
 * The zero value is an empty tree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/owned.h"
#include "base/str.h"

struct tree_node {
    void *value; /* may be changed in place */
    struct tree_node *parent;
    struct tree_node *child[2]; /* lesser keys, greater keys */
    uint32_t key_len;
    uint8_t height;
    char key[];
};

struct tree {
    void (*release)(void *value); /* NULL: values are not the tree's */
    struct tree_node *root;
    size_t count;
};

void tree_done(struct tree *tree);

/* Removes every element; the tree is as new. */
void tree_clear(struct tree *tree);

/* Sets the value of a key. The former value is returned and not released; NULL if there was none.
 */
void *tree_put(struct tree *tree, struct str key, void *value);

/* The value: of a key that may be absent (then NULL), of one that must be there. */
void *tree_find(const struct tree *tree, struct str key);
void *tree_get(const struct tree *tree, struct str key);

/* The element itself, or NULL. */
struct tree_node *tree_find_node(const struct tree *tree, struct str key);

/* Removes a key and hands its value over, or NULL. */
void *tree_take(struct tree *tree, struct str key);
void *tree_take_node(struct tree *tree, struct tree_node *node);

/* Removes a key and releases its value; false when it was not there. */
bool tree_remove(struct tree *tree, struct str key);
void tree_remove_node(struct tree *tree, struct tree_node *node);

/* The first element whose key is at or behind this one, or strictly behind it; NULL for none. */
struct tree_node *tree_seek(const struct tree *tree, struct str key);
struct tree_node *tree_seek_after(const struct tree *tree, struct str key);

/* The element with the least key, and the one behind an element in key order; NULL for none. */
struct tree_node *tree_first(const struct tree *tree);
struct tree_node *tree_next(const struct tree_node *node);

static inline size_t tree_count(const struct tree *tree)
{
    return tree->count;
}

static inline bool tree_has(const struct tree *tree, struct str key)
{
    return tree_find_node(tree, key) != NULL;
}

static inline struct str tree_key(const struct tree_node *node)
{
    return str_from(node->key, node->key_len);
}

static inline struct tree_node *tree_next_or_null(const struct tree_node *node)
{
    return node ? tree_next(node) : NULL;
}

/* The body may remove the current element and put others; it must not remove the one behind. */
#define TREE_FOREACH(var, tree_ptr)                                                                \
    for (struct tree_node *var = tree_first(tree_ptr), *var##_next_ = tree_next_or_null(var); var; \
         var = var##_next_, var##_next_ = tree_next_or_null(var))
