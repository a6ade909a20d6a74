/*
 * JSON documents: read once, immutable, shared by reference.
 *
 * A value is a borrowed pointer into its document and is valid as long as the document. Presence is
 * explicit: json_get() returns NULL for an absent member, a JSON_NULL value for null, and a
 * JSON_BOOL value for false. Every reader accepts NULL. Objects keep the order of their members.
 *
 * JSON text is read as Kubernetes reads it: the last of several members with one name wins, bytes
 * that are not UTF-8 and lone surrogates become U+FFFD, numbers beyond a double are refused.
 *
 * A number that was read keeps its text, so a patch or a cache passes it on unchanged. It is
 * interpreted on access: an integer that fits 64 bits is an integer, every other number a double.
 *
 * A document takes about four times the memory of its text. Keep long-lived documents as text, with
 * json_write() and buf_shrink() or with json_write_arena(). References are counted on one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
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

/* Deeper nesting is refused by every reader of this folder; Go's limit. */
#define JSON_DEPTH_MAX 10000

/* Longer text is refused with ERROR_TOO_LARGE. Callers usually set tighter limits. */
#define JSON_TEXT_MAX (256 * MEGABYTE)

/* Warnings of strict reading. The caller sets arena. NULL instead of the struct asks for none. */
struct json_warnings {
    struct arena *arena;
    struct str *items;
    size_t count;
};

/* Further warnings are dropped, as in Kubernetes. So are repetitions of a warning. */
#define JSON_WARNINGS_MAX 100

void json_warn(struct json_warnings *warnings, struct str text);

/* Reads one value with nothing but white space behind it. ERROR_PARSE names line and column. */
MUST_USE struct error *json_read(struct str text, struct json_doc **ret_doc);

/* The same, with a warning (duplicate field "spec.a[0].b") for each member that is given twice. */
MUST_USE struct error *json_read_strict(struct str text, struct json_warnings *warnings,
                                        struct json_doc **ret_doc);

struct json_doc *json_doc_ref(struct json_doc *doc);
void json_doc_free(struct json_doc *doc); /* gives one reference back */
DEFINE_OWNED(json_doc)

/* Hands the caller's reference to the arena, which gives it back when it is released. */
void json_doc_hold(struct arena *arena, struct json_doc *doc);

/* Copies a part of a document into a new document. */
struct json_doc *json_doc_copy(const struct json_value *value);

const struct json_value *json_doc_root(const struct json_doc *doc);

enum json_type json_type(const struct json_value *value);

/* For messages: "absent", "null", "a boolean", "a number", "a string", "an array", "an object". */
const char *json_type_name(enum json_type type);

/* Member of an object; NULL when absent or when value is no object. */
const struct json_value *json_get(const struct json_value *value, struct str key);

/* Number of elements or members; 0 for anything else. */
size_t json_count(const struct json_value *value);

/* Element of an array; NULL past its end. Takes linear time: iterate with JSON_FOREACH instead. */
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

/* Approximate bytes of memory of a value with everything inside it. */
size_t json_size(const struct json_value *value);

/* Readers for one type. They return false (or an empty string) for other types and for NULL. */
bool json_to_bool(const struct json_value *value, bool *ret_bool);
bool json_to_int64(const struct json_value *value, int64_t *ret_number); /* whole and fitting */
bool json_to_double(const struct json_value *value, double *ret_number);
struct str json_to_str(const struct json_value *value);

/*
 * Compact text as Go's encoding/json writes it: shortest digits, exponents below 1e-6 and from
 * 1e21 on, 64-bit integers in full. The characters <, > and & are not escaped, as with
 * SetEscapeHTML(false). JSON_WRITE_ESCAPE_HTML escapes them as json.Marshal does, which makes the
 * responses of a Kubernetes API server.
 */
void json_write(struct buf *buf, const struct json_value *value);

/* Indented by two blanks per level. */
void json_write_pretty(struct buf *buf, const struct json_value *value);

enum json_write_flags {
    JSON_WRITE_PRETTY = 1,
    JSON_WRITE_ESCAPE_HTML = 2,
    JSON_WRITE_NUMBERS_AS_READ = 4, /* 1.0 and 1e2 are not rewritten */
};

void json_write_with(struct buf *buf, const struct json_value *value, unsigned flags);

/* Compact text in the arena. */
struct str json_write_arena(struct arena *arena, const struct json_value *value);
