/*
 * What the sources of the merge share: the work under way, and where in the types it is.
 */
#pragma once

#include "apiserver/strategicpatch/strategic_print.h"
#include "apiserver/strategicpatch/strategic_tree.h"
#include "apiserver/types/go_types.h"

/* What a value is, by the tables: the root type, a field, or an element of a field's list. */
struct strategic_schema {
    const struct go_type *root; /* NULL below the root */
    const struct go_field *field;
    bool element;
};

/* A patch for an object, still to be merged. */
struct merge_task {
    struct merge_node *object;
    const struct json_value *patch;
    struct strategic_schema schema;
};

/* Tasks are a stack, because nothing may recurse along a document. */
struct merge {
    struct merge_tree tree;
    struct merge_task *tasks;
    size_t count, capacity;
};

void merge_push(struct merge *merge, struct merge_node *object, const struct json_value *patch,
                struct strategic_schema schema);

/* The schema of a member that holds an object, or of the elements of one that holds a list. */
MUST_USE struct error *strategic_schema_member(struct strategic_schema schema, struct str name,
                                               struct strategic_schema *ret_member);
MUST_USE struct error *strategic_schema_elements(struct strategic_schema schema, struct str name,
                                                 struct strategic_schema *ret_element);

/* The part of a patch's value that a result takes; NULL when a directive leaves nothing. */
enum clean_flags {
    CLEAN_DIRECTIVES = 1, /* objects with "$patch" */
    CLEAN_NULLS = 2,      /* members that are null */
};
MUST_USE struct error *merge_clean(struct merge *merge, const struct json_value *value,
                                   unsigned flags, const struct json_value **ret_value);

/* Merges a patch's list into an array. The elements say which field they belong to. */
MUST_USE struct error *merge_list(struct merge *merge, struct merge_node *array,
                                  const struct json_value *patch, struct strategic_schema elements);

/* Takes the elements of a list of scalars out of an array. */
MUST_USE struct error *merge_list_delete(struct merge *merge, struct merge_node *array,
                                         const struct json_value *patch,
                                         struct strategic_schema elements);

/*
 * "$setElementOrder/<name>": merges the patch's list into the object's, then gives it this order.
 * Either list may be absent.
 */
MUST_USE struct error *merge_set_order(struct merge *merge, struct merge_node *object,
                                       const struct json_value *patch, struct str name,
                                       const struct json_value *order,
                                       struct strategic_schema schema);

MUST_USE struct error *merge_error_type(enum go_kind expected, enum go_kind actual);
