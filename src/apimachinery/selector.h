/*
 * Label selectors: which objects are selected by their labels.
 *
 * A selector has an object form (matchLabels and matchExpressions of manifests) and a text form
 * (queries: "a=b,c in (d,e),!f"). All requirements must hold; "!=" and "notin" hold for objects
 * without the label too. An absent selector selects nothing, an empty one everything. Requirements
 * are sorted by key.
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
    SELECTOR_DOUBLE_EQUALS, /* the same as SELECTOR_EQUALS, but written as "==" */
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
    bool nothing; /* the selector selects nothing and has no items */
};

/*
 * From the object form. NULL and null select nothing. ERROR_INVALID with the message of Kubernetes.
 */
MUST_USE struct error *selector_from_value(struct arena *arena, const struct json_value *value,
                                           struct selector *ret_selector);

/* From the text form. ERROR_BAD_REQUEST with the message of Kubernetes. */
MUST_USE struct error *selector_read(struct arena *arena, struct str text,
                                     struct selector *ret_selector);

/* True when the selector selects everything. */
bool selector_is_empty(const struct selector *selector);

/* The text form. Reading it gives the same selector. */
void selector_write(struct buf *out, const struct selector *selector);

/* For people: "<none>" for an empty selector. */
void selector_format(struct buf *out, const struct selector *selector);

/* labels is an object of strings; NULL means no labels. */
bool selector_matches(const struct selector *selector, const struct json_value *labels);
