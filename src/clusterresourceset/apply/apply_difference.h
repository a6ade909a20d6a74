/*
 * What a merge patch must say to bring a live object to its manifest.
 *
 * Members that only the live object has are deleted, defaults of the server included: it fills them
 * in again, or refuses. Left out are the status, what the server owns in the metadata, and
 * finalizers and owner references that the manifest does not mention. Null and absent are the same.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

/* Adds the patch to out, unless nothing differs. */
MUST_USE struct error *apply_difference(const struct json_value *live,
                                        const struct json_value *manifest, struct buf *out,
                                        bool *ret_differs);
