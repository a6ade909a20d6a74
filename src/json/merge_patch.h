/*
 * JSON merge patch (RFC 7386), as the Kubernetes API server applies it and as controller-runtime's
 * client computes it.
 *
 * Objects are merged, null deletes, everything else is replaced as a whole. Unlike in the RFC,
 * null members vanish also from objects inside arrays that a patch brings in; a null that the
 * original already had stays.
 */
#pragma once

#include "json/json.h"

/*
 * Reads a request's body. ERROR_BAD_REQUEST with the API server's message unless it is an object.
 * Warnings (may be NULL) are those of strict field validation.
 */
MUST_USE struct error *merge_patch_read(struct str text, struct json_warnings *warnings,
                                        struct json_doc **ret_patch);

/* An original that is not an object counts as {}. A patch that is not an object is refused. */
MUST_USE struct error *merge_patch_apply(const struct json_value *original,
                                         const struct json_value *patch, struct json_doc **ret_doc);

/*
 * Computes the patch that turns `from` into `to`; {} when they are equal. Numbers are compared by
 * token. Arrays that differ are replaced as a whole. Null members of `to` are lost, because null
 * deletes.
 */
MUST_USE struct error *merge_patch_diff(const struct json_value *from, const struct json_value *to,
                                        struct json_doc **ret_patch);
