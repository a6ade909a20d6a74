/*
 * Shared by the sources of this folder: a json_value is a yyjson value of an immutable document.
 *
 * The values of a document stand in one array in the order of the text, a container followed by
 * its content and holding the distance to its end. A subtree is therefore a range: it is skipped in
 * one step and copied with one memcpy. Numbers that were read keep their text (YYJSON_TYPE_RAW),
 * numbers that were built are native (YYJSON_TYPE_NUM); both occur in one document.
 *
 * Three invariants hold in every document and need no further check: no object has two members of
 * one name, strings are valid UTF-8, and nesting is at most JSON_DEPTH_MAX deep. normalize.h
 * establishes the first for documents that were read or built.
 *
 * Fibers have small stacks: no function here recurses along a document. Walks keep one entry per
 * open container in an array on the heap.
 */
#pragma once

#include <yyjson.h>

#include "base/array.h"
#include "base/memory.h"
#include "json/json.h"
#include "json/string_pool.h"

/* Both types name the same memory. */
static inline yyjson_val *json_to_yyjson(const struct json_value *value)
{
    return (yyjson_val *)(uintptr_t)value;
}

static inline const struct json_value *json_from_yyjson(const yyjson_val *val)
{
    return (const struct json_value *)val;
}

/* Allocates with base/memory.h, thus never fails. */
extern const yyjson_alc json_alc;

/* yyjson's accessors, for constant values. */
static inline uint8_t val_type(const yyjson_val *val)
{
    return (uint8_t)(val->tag & YYJSON_TYPE_MASK);
}

static inline size_t val_len(const yyjson_val *val)
{
    return (size_t)(val->tag >> YYJSON_TAG_BIT);
}

static inline bool val_is_container(const yyjson_val *val)
{
    return val_type(val) >= YYJSON_TYPE_ARR;
}

static inline bool val_is_object(const yyjson_val *val)
{
    return val_type(val) == YYJSON_TYPE_OBJ;
}

/* The value behind val and everything inside it. Written without a branch, for speed. */
static inline const yyjson_val *val_next(const yyjson_val *val)
{
    const size_t inside = val->uni.ofs;
    const size_t distance = val_is_container(val) ? inside : sizeof(*val);
    return (const yyjson_val *)(const void *)((const char *)val + distance);
}

/* Of a string or of a number's text. */
static inline struct str val_str(const yyjson_val *val)
{
    return (struct str){val->uni.str, val_len(val)};
}

/* Strings and numbers that were read hold a pointer to text outside of the value. */
static inline bool val_has_text(const yyjson_val *val)
{
    return val_type(val) == YYJSON_TYPE_STR || val_type(val) == YYJSON_TYPE_RAW;
}

struct json_doc {
    size_t refs;
    const yyjson_val *root;
    yyjson_doc *parsed;          /* owns the values of a document that was read, else NULL */
    yyjson_val *values;          /* owns the values of a document that was built, else NULL */
    struct string_pool *strings; /* strings that are not in text */
    char text[];                 /* the text that was read; strings of parsed point into it */
};

/* A document without values, with room for text_size bytes of text. */
struct json_doc *json_doc_new(size_t text_size);

/* True when containers are nested deeper than max. */
bool json_is_deeper(const yyjson_val *root, size_t max);
