/*
 * A compiled path: lists of steps. Private to jsonpath*.c.
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
    STEP_FAIL, /* parses, but every query fails: an identifier that means nothing */
};

enum step_compare {
    COMPARE_EXISTS,
    COMPARE_LESS,
    COMPARE_GREATER,
    COMPARE_EQUAL,
    COMPARE_NOT_EQUAL,
    COMPARE_LESS_EQUAL,
    COMPARE_GREATER_EQUAL,
    COMPARE_UNKNOWN, /* fails when it is used */
};

struct path_step;

struct path_steps {
    struct path_step *items;
    size_t count, capacity;
};

/* [from:to:by]; [n] is [n:n+1], which for -1 means the last one. */
struct path_slice {
    int64_t from, to, by;
    bool has_from, has_to, has_by;
    bool is_index;
};

struct path_step {
    enum step_type type;
    struct str name;            /* of a field */
    struct path_slice slice;    /* of an array */
    struct path_steps left;     /* of a filter */
    struct path_steps right;    /* of a filter that compares */
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
 * `used` counts the values of all steps so far. False when the query fails.
 */
bool path_steps_find(const struct path_steps *steps, const struct json_value *value,
                     struct arena *arena, size_t used, struct path_values *ret_values);
