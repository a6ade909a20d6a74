/*
 * JSON merge patch (RFC 7386), as the Kubernetes API server applies it and the controller client
 * makes it.
 *
 * Objects are merged, null deletes, everything else is replaced as a whole. Unlike in the RFC,
 * null members vanish also from objects inside arrays that a patch brings in; a null that the
 * original already had stays.
 */
#pragma once

#include "json/json.h"

/*
 * Reads a request's body. What is no object is ERROR_BAD_REQUEST, in the API server's words.
 * Warnings (may be NULL) are those of strict field validation.
 */
MUST_USE struct error *merge_patch_read(struct str text, struct json_warnings *warnings,
                                        struct json_doc **ret_patch);

/* An original that is no object counts as an empty one; a patch that is none is refused. */
MUST_USE struct error *merge_patch_apply(const struct json_value *original,
                                         const struct json_value *patch, struct json_doc **ret_doc);

/*
 * The patch that makes one object into the other, {} when they are equal. Numbers are compared by
 * token, and arrays taken whole when anything in them differs. Since null deletes, null members of
 * to do not survive.
 */
MUST_USE struct error *merge_patch_diff(const struct json_value *from, const struct json_value *to,
                                        struct json_doc **ret_patch);
