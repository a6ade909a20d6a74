/*
 * What the sources of this folder share: a json_value is a yyjson value of an immutable document.
 *
 * The values of a document stand in one array in the order of the text, a container followed by
 * its content and holding the distance to its end. A subtree is therefore a range: it is skipped in
 * one step and copied with one memcpy. Numbers that were read keep their text (YYJSON_TYPE_RAW),
 * numbers that were built are native (YYJSON_TYPE_NUM); both occur in one document.
 *
 * Three things hold in every document, so nobody has to check them again: no object has two members
 * of one name, strings are valid UTF-8, and nesting is at most JSON_DEPTH_MAX deep.
 */
#pragma once

#include <yyjson.h>

#include "json/json.h"

/* Both types name the same memory. */
static inline yyjson_val *json_to_yyjson(const struct json_value *value)
{
    return (yyjson_val *)(uintptr_t)value;
}

static inline const struct json_value *json_from_yyjson(const yyjson_val *val)
{
    return (const struct json_value *)val;
}

/*
 * Takes ownership of a document. Of members with one name the last stays, bytes that are not UTF-8
 * become U+FFFD. The caller has kept the nesting within JSON_DEPTH_MAX.
 */
struct json_doc *json_doc_from_yyjson(yyjson_doc *doc);

/* The same from a document under construction, which is copied and stays with the caller. */
struct json_doc *json_doc_from_yyjson_mut(const yyjson_mut_doc *doc);
