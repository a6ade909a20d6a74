/*
 * The merge patch that turns a live object into its manifest.
 *
 * Members that only the live object has are deleted, even those that the server has filled in as
 * defaults: the server fills them in again. The patch leaves out the status, metadata that the
 * server owns, and finalizers and owner references that the manifest does not have. Null and absent
 * are the same.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

/* Adds the patch to out if *ret_differs. */
MUST_USE struct error *apply_difference(const struct json_value *live,
                                        const struct json_value *manifest, struct buf *out,
                                        bool *ret_differs);
