/*
 * The compiled form of a path: a list of steps. Each step maps the values that the step before it
 * found to new values. Private to jsonpath*.c.
 */
#pragma once

#include "apiserver/crd/jsonpath.h"

enum step_type {
    STEP_FIELD,
    STEP_WILDCARD,
    STEP_SLICE,
    STEP_FILTER,
    STEP_UNION,
    STEP_RECURSIVE,
    STEP_LITERAL,
    STEP_FAIL, /* an identifier that is no keyword: the path parses, its queries fail */
};

enum step_compare {
    COMPARE_EXISTS,
    COMPARE_LESS,
    COMPARE_GREATER,
    COMPARE_EQUAL,
    COMPARE_NOT_EQUAL,
    COMPARE_LESS_EQUAL,
    COMPARE_GREATER_EQUAL,
    COMPARE_UNKNOWN, /* an operator that does not exist: the path parses, its queries fail */
};

struct path_step;

struct path_steps {
    struct path_step *items;
    size_t count, capacity;
};

/* [from:to:by]. An index [n] is the slice [n:n+1]; [-1] is the last element. */
struct path_slice {
    int64_t from, to, by;
    bool has_from, has_to, has_by;
    bool is_index;
};

struct path_step {
    enum step_type type;
    struct str name;            /* of a field */
    struct path_slice slice;    /* of an array */
    struct path_steps left;     /* of a filter, relative to the element */
    struct path_steps right;    /* of a filter that compares, relative to the element */
    enum step_compare compare;  /* of a filter */
    struct path_steps *options; /* of a union */
    size_t option_count;
    const struct json_value *literal;
};

struct jsonpath {
    struct path_steps steps;
};

struct path_values {
    const struct json_value **items; /* in the arena */
    size_t count, capacity;
};

/*
 * All values that the steps find from one value on, borrowed from the document or from the path.
 * `used` counts the values of all steps so far, and the budget is what is left of it. False when
 * the query fails.
 */
bool path_steps_find(const struct path_steps *steps, const struct json_value *value,
                     struct arena *arena, size_t used, size_t *budget,
                     struct path_values *ret_values);
