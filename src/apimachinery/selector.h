/*
 * Label selectors: which objects are meant, judged by their labels.
 *
 * From the object form of manifests (matchLabels, matchExpressions) or from the text form of
 * queries
 * ("a=b,c in (d,e),!f"). All requirements must hold; "!=" and "notin" hold for objects without the
 * label too. An absent selector selects nothing, an empty one everything. Requirements stand in the
 * order of their keys.
 *
 *     struct selector selector;
 *     TRY(selector_read(arena, STR("app=web,tier notin (db)"), &selector), "read selector");
 *     if (selector_matches(&selector, object_labels(object))) ...
 *
 * The zero value selects everything. Texts live in the arena.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

enum selector_operator {
    SELECTOR_IN,
    SELECTOR_NOT_IN,
    SELECTOR_EQUALS,
    SELECTOR_DOUBLE_EQUALS, /* means the same, but is written as it was read */
    SELECTOR_NOT_EQUALS,
    SELECTOR_EXISTS,
    SELECTOR_DOES_NOT_EXIST,
    SELECTOR_GREATER_THAN,
    SELECTOR_LESS_THAN,
};

struct requirement {
    struct str key;
    enum selector_operator op;
    struct str *values; /* sorted */
    size_t count;
};

struct selector {
    struct requirement *items;
    size_t count;
    bool nothing; /* selects nothing; there are no items then */
};

/* NULL and null select nothing. ERROR_INVALID with the message Kubernetes gives. */
MUST_USE struct error *selector_from_value(struct arena *arena, const struct json_value *value,
                                           struct selector *ret_selector);

/* ERROR_BAD_REQUEST with the message Kubernetes gives. */
MUST_USE struct error *selector_read(struct arena *arena, struct str text,
                                     struct selector *ret_selector);

/* Selects everything. */
bool selector_is_empty(const struct selector *selector);

/* The text form; what is written is read as the same selector. */
void selector_write(struct buf *out, const struct selector *selector);

/* For people: "<none>" for an empty selector. */
void selector_format(struct buf *out, const struct selector *selector);

/* Labels as an object of strings; NULL is none. */
bool selector_matches(const struct selector *selector, const struct json_value *labels);
