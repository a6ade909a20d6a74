/*
 * JSON documents: read once, immutable, shared by reference.
 *
 * A value is a borrowed pointer into its document and lives as long as it. Presence is explicit:
 * json_get() gives NULL for an absent member, a JSON_NULL value for null, and JSON_BOOL for false,
 * and every reader accepts NULL. Objects keep the order of their members.
 *
 * Text is read as Kubernetes reads it: of members with one name the last stays, bytes that are not
 * UTF-8 and lone surrogates become U+FFFD, numbers beyond a double are refused.
 *
 * A number that was read keeps its text, so nothing is lost on the way through a patch or a cache;
 * it is interpreted when asked for: an integer that fits 64 bits is one, all else is a double.
 *
 * A document takes about four times the memory of its text. What is kept for long is kept as text:
 * json_write() and buf_shrink(), or json_write_arena(). References are counted on one thread.
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

/* Longer text is refused with ERROR_TOO_LARGE; callers have tighter limits of their own. */
#define JSON_TEXT_MAX (256 * MEGABYTE)

/* Remarks of strict reading. The caller sets the arena; NULL in place of it all asks for none. */
struct json_warnings {
    struct arena *arena;
    struct str *items;
    size_t count;
};

/* More are dropped, as in Kubernetes; so are repetitions. */
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

/* A document of its own for a part of another. */
struct json_doc *json_doc_copy(const struct json_value *value);

const struct json_value *json_doc_root(const struct json_doc *doc);

enum json_type json_type(const struct json_value *value);

/* For messages: "absent", "null", "a boolean", "a number", "a string", "an array", "an object". */
const char *json_type_name(enum json_type type);

/* Member of an object; NULL when absent or when value is no object. */
const struct json_value *json_get(const struct json_value *value, struct str key);

/* Number of elements or members; 0 for anything else. */
size_t json_count(const struct json_value *value);

/* Element of an array; NULL past its end. Walk with JSON_FOREACH, this one counts its way. */
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

/* Bytes of memory that a value and all it contains take, about. */
size_t json_size(const struct json_value *value);

/* Readers for the wanted type; false (or an empty string) for any other, absent included. */
bool json_to_bool(const struct json_value *value, bool *ret_bool);
bool json_to_int64(const struct json_value *value, int64_t *ret_number); /* whole and fitting */
bool json_to_double(const struct json_value *value, double *ret_number);
struct str json_to_str(const struct json_value *value);

/*
 * Compact text as Go's encoding/json writes it: shortest digits, exponents below 1e-6 and from
 * 1e21 on, integers of 64 bits as they are. <, > and & stay themselves, as with
 * SetEscapeHTML(false); an API server, whose answers are made by json.Marshal, asks for
 * JSON_WRITE_ESCAPE_HTML.
 */
void json_write(struct buf *buf, const struct json_value *value);

/* Indented by two. */
void json_write_pretty(struct buf *buf, const struct json_value *value);

enum json_write_flags {
    JSON_WRITE_PRETTY = 1,
    JSON_WRITE_ESCAPE_HTML = 2,
    JSON_WRITE_NUMBERS_AS_READ = 4, /* 1.0 and 1e2 stay what they were */
};

void json_write_with(struct buf *buf, const struct json_value *value, unsigned flags);

/* Compact text of exactly its size. */
struct str json_write_arena(struct arena *arena, const struct json_value *value);
