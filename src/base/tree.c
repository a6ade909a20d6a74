#include "base/tree.h"

#include <assert.h>

#include "base/memory.h"

/*
 * An AVL tree: the heights of two siblings differ by at most one. It is searched far more often
 * than changed, and among the balanced trees it is the shallowest.
 */

enum side { LESS, GREATER };

static enum side other_side(enum side side)
{
    return side == LESS ? GREATER : LESS;
}

static int height(const struct tree_node *node)
{
    return node ? node->height : 0;
}

static void update_height(struct tree_node *node)
{
    const int less = height(node->child[LESS]), greater = height(node->child[GREATER]);
    node->height = (uint8_t)(1 + (less > greater ? less : greater));
}

/* Puts a node, or nothing, where another one hangs. */
static void replace_node(struct tree *tree, struct tree_node *old, struct tree_node *node)
{
    struct tree_node *parent = old->parent;
    if (!parent)
        tree->root = node;
    else
        parent->child[parent->child[GREATER] == old ? GREATER : LESS] = node;
    if (node)
        node->parent = parent;
}

static void link_child(struct tree_node *parent, enum side side, struct tree_node *node)
{
    parent->child[side] = node;
    if (node)
        node->parent = parent;
}

/* Lifts the child on this side above its parent, and returns it. */
static struct tree_node *rotate_up(struct tree *tree, struct tree_node *node, enum side side)
{
    struct tree_node *child = node->child[side];
    replace_node(tree, node, child);
    link_child(node, side, child->child[other_side(side)]);
    link_child(child, other_side(side), node);
    update_height(node);
    update_height(child);
    return child;
}

/* Makes one subtree even again and returns its root, which may be another one now. */
static struct tree_node *balance_node(struct tree *tree, struct tree_node *node)
{
    const int lean = height(node->child[GREATER]) - height(node->child[LESS]);
    if (lean >= -1 && lean <= 1) {
        update_height(node);
        return node;
    }
    const enum side heavy = lean > 0 ? GREATER : LESS;
    struct tree_node *child = node->child[heavy];
    if (height(child->child[other_side(heavy)]) > height(child->child[heavy]))
        rotate_up(tree, child, other_side(heavy));
    return rotate_up(tree, node, heavy);
}

/* From where something changed upwards, as far as heights change. */
static void rebalance(struct tree *tree, struct tree_node *node)
{
    while (node) {
        const uint8_t before = node->height;
        node = balance_node(tree, node);
        if (node->height == before)
            return;
        node = node->parent;
    }
}

static struct tree_node *leftmost(struct tree_node *node)
{
    while (node && node->child[LESS])
        node = node->child[LESS];
    return node;
}

struct tree_node *tree_first(const struct tree *tree)
{
    return leftmost(tree->root);
}

struct tree_node *tree_next(const struct tree_node *node)
{
    if (node->child[GREATER])
        return leftmost(node->child[GREATER]);
    while (node->parent && node->parent->child[GREATER] == node)
        node = node->parent;
    return node->parent;
}

struct tree_node *tree_find_node(const struct tree *tree, struct str key)
{
    struct tree_node *node = tree->root;
    while (node) {
        const int order = str_cmp(key, tree_key(node));
        if (order == 0)
            return node;
        node = node->child[order > 0 ? GREATER : LESS];
    }
    return NULL;
}

void *tree_find(const struct tree *tree, struct str key)
{
    const struct tree_node *node = tree_find_node(tree, key);
    return node ? node->value : NULL;
}

void *tree_get(const struct tree *tree, struct str key)
{
    const struct tree_node *node = tree_find_node(tree, key);
    assert(node);
    return node->value;
}

/* The first node whose key compares with this one as at least `least`. */
static struct tree_node *seek_at_least(const struct tree *tree, struct str key, int least)
{
    struct tree_node *node = tree->root, *best = NULL;
    while (node) {
        const int order = str_cmp(tree_key(node), key);
        const bool fits = (order > 0) - (order < 0) >= least;
        if (fits)
            best = node;
        node = node->child[fits ? LESS : GREATER];
    }
    return best;
}

struct tree_node *tree_seek(const struct tree *tree, struct str key)
{
    return seek_at_least(tree, key, 0);
}

struct tree_node *tree_seek_after(const struct tree *tree, struct str key)
{
    return seek_at_least(tree, key, 1);
}

static struct tree_node *node_new(struct str key, void *value, struct tree_node *parent)
{
    assert(key.len <= UINT32_MAX);
    struct tree_node *node = mem_alloc(sizeof(*node) + key.len);
    *node = (struct tree_node){
        .value = value, .parent = parent, .key_len = (uint32_t)key.len, .height = 1};
    if (key.len)
        memcpy(node->key, key.ptr, key.len);
    return node;
}

void *tree_put(struct tree *tree, struct str key, void *value)
{
    struct tree_node **place = &tree->root, *parent = NULL;
    while (*place) {
        parent = *place;
        const int order = str_cmp(key, tree_key(parent));
        if (order == 0) {
            void *former = parent->value;
            parent->value = value;
            return former;
        }
        place = &parent->child[order > 0 ? GREATER : LESS];
    }
    *place = node_new(key, value, parent);
    tree->count++;
    rebalance(tree, parent);
    return NULL;
}

/* Takes the node out; returns the lowest one whose subtrees changed. */
static struct tree_node *unlink_node(struct tree *tree, struct tree_node *node)
{
    if (!node->child[LESS] || !node->child[GREATER]) {
        replace_node(tree, node, node->child[node->child[LESS] ? LESS : GREATER]);
        return node->parent;
    }
    /* The next node has no lesser child, so it can leave its place and take over this one's. */
    struct tree_node *next = leftmost(node->child[GREATER]);
    struct tree_node *lowest = next->parent == node ? next : next->parent;
    if (next->parent != node) {
        replace_node(tree, next, next->child[GREATER]);
        link_child(next, GREATER, node->child[GREATER]);
    }
    link_child(next, LESS, node->child[LESS]);
    next->height = node->height;
    replace_node(tree, node, next);
    return lowest;
}

void *tree_take_node(struct tree *tree, struct tree_node *node)
{
    void *value = node->value;
    rebalance(tree, unlink_node(tree, node));
    tree->count--;
    mem_free(node);
    return value;
}

void tree_remove_node(struct tree *tree, struct tree_node *node)
{
    void *value = tree_take_node(tree, node);
    if (tree->release)
        tree->release(value);
}

void *tree_take(struct tree *tree, struct str key)
{
    struct tree_node *node = tree_find_node(tree, key);
    return node ? tree_take_node(tree, node) : NULL;
}

bool tree_remove(struct tree *tree, struct str key)
{
    struct tree_node *node = tree_find_node(tree, key);
    if (!node)
        return false;
    tree_remove_node(tree, node);
    return true;
}

/* Takes leaves off one by one, without balancing and without a stack. */
void tree_clear(struct tree *tree)
{
    struct tree_node *node = tree->root;
    tree->root = NULL;
    tree->count = 0;
    while (node) {
        struct tree_node *child = node->child[node->child[LESS] ? LESS : GREATER];
        if (child) {
            node = child;
            continue;
        }
        struct tree_node *parent = node->parent;
        if (parent)
            parent->child[parent->child[GREATER] == node ? GREATER : LESS] = NULL;
        if (tree->release)
            tree->release(node->value);
        mem_free(node);
        node = parent;
    }
}

void tree_done(struct tree *tree)
{
    tree_clear(tree);
}
