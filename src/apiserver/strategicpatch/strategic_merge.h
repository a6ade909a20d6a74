/*
 * Strategic merge patch, as the Kubernetes API server applies it to built-in kinds.
 *
 * Like a merge patch, but lists whose table says so are merged: by the value of their merge key, or
 * as a set of scalars. Directives in the patch say more: "$patch" (replace, delete),
 * "$retainKeys", "$deleteFromPrimitiveList/<list>", "$setElementOrder/<list>".
 *
 * Messages are those of the API server. ERROR_BAD_REQUEST is a directive of the wrong form;
 * ERROR_INTERNAL is what it answers to other mistakes of a patch, ERROR_INVALID to lists of lists.
 * Where the API server's library crashes, ERROR_BAD_REQUEST.
 */
#pragma once

#include "apiserver/types/go_type.h"
#include "json/json.h"

/*
 * The original is an object; a patch that is none is refused. Null members that a patch brings into
 * lists stay, as in the API server, and vanish when the result is decoded. Whether the result still
 * fits the type is decided by that decoding.
 */
MUST_USE struct error *strategic_merge_apply(const struct go_type *type,
                                             const struct json_value *original,
                                             const struct json_value *patch,
                                             struct json_doc **ret_doc);
