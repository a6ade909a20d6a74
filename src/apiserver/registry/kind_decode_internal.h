/*
 * The first pass of kind_builtin_decode(): whether Go's decoder accepts a document. Private to this
 * folder.
 */
#pragma once

#include "apiserver/types/go_types.h"
#include "json/json.h"

/*
 * The first value of the wrong type is ERROR_BAD_REQUEST with the message of Go's decoder. Members
 * that the type does not have are named in unknown (may be NULL), in the order of the document.
 */
MUST_USE struct error *kind_decode_check(const struct go_type *type,
                                         const struct json_value *object,
                                         struct json_warnings *unknown);
