/*
 * Field selectors: which objects are meant, judged by a few of their fields.
 *
 *     metadata.name=x,status.phase!=Running
 *
 * All terms must hold. In values "\", "," and "=" are written with a backslash in front. Which
 * fields can be asked for depends on the kind and is given as a table; a field that is absent in an
 * object counts as empty.
 *
 *     static const struct field_label labels[] = {
 *         {STR_INIT("metadata.name"), "metadata.name"},
 *         {STR_INIT("source"),        "source.component"},
 *     };
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

struct field_term {
    struct str field, value;
    bool negated; /* "!=" */
};

struct field_selector {
    struct field_term *items; /* in the order of their text */
    size_t count;
};

/* A field that can be asked for, and where its value stands; see json_path(). */
struct field_label {
    struct str label;
    const char *path;
};

/* ERROR_BAD_REQUEST with the message Kubernetes gives. */
MUST_USE struct error *field_selector_read(struct arena *arena, struct str text,
                                           struct field_selector *ret_selector);

/* The text form; what is written is read as the same selector. */
void field_selector_write(struct buf *out, const struct field_selector *selector);

/* ERROR_BAD_REQUEST for a field that is not in the table. */
MUST_USE struct error *field_selector_check(const struct field_selector *selector,
                                            const struct field_label *labels, size_t count);

/* Fields that are not in the table count as absent. */
bool field_selector_matches(const struct field_selector *selector, const struct field_label *labels,
                            size_t count, const struct json_value *object);

/* The value that all selected objects have in a field; false when there is no such term. */
bool field_selector_find_exact(const struct field_selector *selector, struct str field,
                               struct str *ret_value);
