/*
 * JSON documents: parsed once, immutable, shared by reference.
 *
 * A value is a borrowed pointer into its document and lives as long as it. Presence is explicit:
 * json_get() gives NULL for an absent member, a JSON_NULL value for null, and JSON_BOOL for false,
 * and every reader accepts NULL. Objects keep the order of their members.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct json_doc;
struct json_value; /* opaque; only pointers exist */

enum json_type {
    JSON_ABSENT, /* of NULL */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

/* Deeper nesting is refused by every reader of this folder. */
#define JSON_DEPTH_MAX 10000

/* Reads one value with nothing but white space behind it. Errors name line and column. */
MUST_USE struct error *json_read(struct str text, struct json_doc **ret_doc);

struct json_doc *json_doc_ref(struct json_doc *doc);
void json_doc_free(struct json_doc *doc); /* gives one reference back */
DEFINE_OWNED(json_doc)

const struct json_value *json_doc_root(const struct json_doc *doc);

enum json_type json_type(const struct json_value *value);

/* Member of an object; NULL when absent or when value is no object. The last of duplicates wins. */
const struct json_value *json_get(const struct json_value *value, struct str key);

/* Number of elements or members; 0 for anything else. */
size_t json_count(const struct json_value *value);

/* Element of an array; NULL past its end. */
const struct json_value *json_at(const struct json_value *value, size_t index);

struct json_iter {
    const struct json_value *container;
    size_t index;
    const void *next_; /* private */
};

/* Steps through an array (key stays empty) or an object. False at the end. */
bool json_next(struct json_iter *iter, struct str *ret_key, const struct json_value **ret_value);

#define JSON_FOREACH(key, value, in)                                                            \
    for (struct json_iter iter_ = {.container = (in)}; iter_.container; iter_.container = NULL) \
        for (struct str key; json_next(&iter_, &key, &(value));)

/* Readers for the wanted type; false (or an empty string) for any other, absent included. */
bool json_to_bool(const struct json_value *value, bool *ret_bool);
bool json_to_int64(const struct json_value *value,
                   int64_t *ret_number); /* whole numbers that fit */
bool json_to_double(const struct json_value *value, double *ret_number);
struct str json_to_str(const struct json_value *value);

/* Compact text, numbers as Go's encoding/json writes them. The second form indents by two. */
void json_write(struct buf *buf, const struct json_value *value);
void json_write_pretty(struct buf *buf, const struct json_value *value);
