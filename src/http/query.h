/* The query of a request: names and values, unescaped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct query_item {
    struct str name, value;
};

struct query {
    struct query_item *items;
    size_t count;
};

/* A query with more parameters is refused. */
#define QUERY_ITEMS_MAX 200

/* From the text behind "?". The query lives in the arena. ERROR_BAD_REQUEST for broken escapes. */
MUST_USE struct error *query_read(struct arena *arena, struct str text, struct query *ret_query);

/* The first value of a name; false when there is none. */
bool query_find(const struct query *query, struct str name, struct str *ret_value);

/*
 * Whether a parameter is there and its first value is not 0 or false, in any case of letters: so
 * does Kubernetes read every flag. Python's client says "watch=True".
 */
bool query_is_true(const struct query *query, struct str name);

/* The first value of a name; empty when there is none. */
struct str query_get(const struct query *query, struct str name);
