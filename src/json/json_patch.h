/*
 * JSON patch (RFC 6902), as the Kubernetes API server applies it.
 *
 * The server's library (evanphx/json-patch) accepts more than the RFC, and so does this module:
 * negative indices count from the end, "replace" of an absent member adds it, "copy" of an absent
 * member copies null, and a missing "value" is null. "test" compares numbers by token. Error
 * messages are those of the library.
 *
 * One case differs: a "replace" of the whole document by a scalar is refused, where the library
 * silently changes nothing.
 */
#pragma once

#include "json/json.h"

/* The API server's limits. */
#define JSON_PATCH_OPERATIONS_MAX 10000
#define JSON_PATCH_COPY_MAX       (3 * MEGABYTE) /* text that all "copy" operations may add */

struct json_patch;

/*
 * Reads a request's body: ERROR_BAD_REQUEST when it is no list of operations, ERROR_TOO_LARGE when
 * there are too many. Warnings (may be NULL) are those of strict field validation.
 */
MUST_USE struct error *json_patch_read(struct str text, struct json_warnings *warnings,
                                       struct json_patch **ret_patch);
void json_patch_free(struct json_patch *patch);
DEFINE_OWNED(json_patch)

/* Whether it has a "copy", by which a small patch can make an object large. */
bool json_patch_copies(const struct json_patch *patch);

/* Applies all operations or none. ERROR_INVALID when one does not apply or a test fails. */
MUST_USE struct error *json_patch_apply(const struct json_patch *patch,
                                        const struct json_value *original,
                                        struct json_doc **ret_doc);
