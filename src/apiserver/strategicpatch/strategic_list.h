/*
 * Elements of lists under a strategic merge. Private to it.
 */
#pragma once

#include "apiserver/strategicpatch/strategic_merge_internal.h"

/* An element of the object (a node) or of the patch (a value), and what it is known by. */
struct item {
    struct merge_node *node;
    const struct json_value *value;
    const struct json_value *id; /* the merge key's value, or the scalar itself */
    bool has_id;
    size_t place; /* in some order; STR_NONE when it is not in there */
};

struct items {
    struct item *list;
    size_t count, capacity;
};

void items_done(struct items *items);
void items_add(struct items *items, struct item item);

/* NULL as the merge key: scalars. */
struct item item_of_node(struct merge_node *node, const char *merge_key);
struct item item_of_value(const struct json_value *value, const char *merge_key);
void items_of_array(struct items *items, const struct merge_node *array, const char *merge_key);
void items_of_patch(struct items *items, const struct json_value *patch, const char *merge_key);

/*
 * Where something with the same identity stands, or STR_NONE. Counted as work; once that is too
 * much nothing is found any more, and merge_tree_check() tells.
 */
size_t items_find(struct merge *merge, const struct items *items, const struct item *item);

/* Gives the array the merged items: those of order in that order, the others as they were in old.
 */
void items_arrange(struct merge *merge, struct merge_node *array, const struct items *merged,
                   const struct items *order, const struct items *old);

/* The type all elements share; either list may be NULL. */
MUST_USE struct error *merge_element_type(const struct merge_node *array,
                                          const struct json_value *patch, enum go_kind *ret_type);

MUST_USE struct error *merge_error_key(const struct item *item, const char *merge_key);

/* Merges a list of objects by its merge key. */
MUST_USE struct error *merge_objects(struct merge *merge, struct merge_node *array,
                                     const struct json_value *patch,
                                     struct strategic_schema elements);
