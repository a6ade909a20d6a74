/*
 * Whether an object fits a built-in type, in the words of the API server's decoder.
 *
 * A strategic merge knows nothing of types below the lists it merges; what it makes is decoded
 * afterwards, and this is where a text in place of a list is noticed.
 */
#pragma once

#include "apiserver/types/strategic_keys.h"
#include "json/json.h"

/*
 * ERROR_INVALID with the decoder's text when a value is of the wrong type. Members that the type
 * does not have are no error, but named in warnings (may be NULL), sorted, as
 * unknown field "spec.x".
 */
MUST_USE struct error *strategic_fit(const struct strategic_type *type,
                                     const struct json_value *object,
                                     struct json_warnings *warnings);
