/*
 * A document under a strategic merge: untouched parts stay borrowed values, touched containers
 * become nodes. Private to the merge.
 *
 * Borrowed values must outlive the tree. Work that grows faster than the documents is counted, so
 * that a small request cannot keep us busy for long.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "json/builder.h"
#include "json/json.h"

/* Comparisons and moves; a few tenths of a second. */
#define STRATEGIC_WORK_MAX ((size_t)1 << 24)

struct merge_node {
    const struct json_value *value; /* until it is opened */
    enum json_type type;
    bool opened;
    struct map members;        /* of an opened object; the values are nodes */
    struct merge_node **items; /* of an opened array */
    size_t count, capacity;
    struct merge_node *next; /* all nodes that were opened, for release */
};

struct merge_tree {
    struct arena arena;
    struct merge_node *opened;
    size_t work;
};

void merge_tree_done(struct merge_tree *tree);

/* ERROR_TOO_LARGE once the work or the memory is too much. */
MUST_USE struct error *merge_tree_check(const struct merge_tree *tree);

struct merge_node *merge_tree_new(struct merge_tree *tree, const struct json_value *value);

/* Makes members or elements of a container changeable; scalars stay what they are. */
void merge_tree_open(struct merge_tree *tree, struct merge_node *node);

/* An object gets the members of another instead of its own; NULL for none. */
void merge_tree_replace(struct merge_tree *tree, struct merge_node *object,
                        const struct json_value *value);

/* A member of an object; NULL if it is absent, or a container that was opened. */
const struct json_value *merge_tree_member(const struct merge_node *node, struct str name);

/* Whether an object has the member. */
bool merge_tree_has(const struct merge_node *node, struct str name);

/* Gives an opened array these elements. */
void merge_tree_set_items(struct merge_node *array, struct merge_node *const *items, size_t count);

/* Adds the node and all below it to a document. */
void merge_tree_write(const struct merge_node *node, struct json_builder *builder);
