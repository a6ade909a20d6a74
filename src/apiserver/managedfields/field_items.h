/*
 * Members and elements of two containers, side by side. Private to field_walk*.c.
 *
 * Large containers are indexed, so that nothing is quadratic.
 */
#pragma once

#include "apiserver/managedfields/field_index.h"
#include "apiserver/managedfields/field_set.h"
#include "apiserver/managedfields/field_type.h"
#include "apiserver/managedfields/field_walk.h"

/* What has one step in both; NULL where there is none. */
struct field_pair {
    struct field_step step;
    const struct json_value *before, *after;
};

struct field_pairs {
    struct field_pair *items;
    size_t count;
};

/* Members: those of before in their order, then what only after has. Either may be no object. */
struct field_pairs field_pairs_of(struct arena *arena, const struct json_value *before,
                                  const struct json_value *after);

/* An element of a list that is a set or a map. */
struct field_item {
    struct field_step step;
    const struct json_value *value;
    size_t first; /* position of the first element with this step */
    size_t next;  /* of the next one, STR_NONE at the last */
    size_t last;  /* of the first one only: the last one */
    size_t same;  /* of the first one only: their number */
};

struct field_items {
    struct field_item *items;
    size_t count;
    struct str problem;       /* what is wrong with the first broken element, or nothing */
    size_t broken;            /* the first element whose step cannot be told, or STR_NONE */
    struct field_index index; /* the first element with a step, by text */
};

/*
 * The elements of a list; of anything else none. A problem is one with an element whose step cannot
 * be told: "element 0: associative list with keys ...". Large lists are read once, whoever asks.
 */
struct field_items field_items_read(struct field_walk *walk, struct field_type type,
                                    const struct json_value *list);

/* Position of the first element with a step, or STR_NONE. */
size_t field_items_find(const struct field_items *items, struct field_step step);

/* Go's %v of a scalar or container as messages of an API server show it: "&{...}". */
void field_print_value(struct buf *out, const struct json_value *value);

/* Go's %#v of the same. */
void field_print_syntax(struct buf *out, const struct json_value *value);
