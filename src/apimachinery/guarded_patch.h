/*
 * The change of an object as a merge patch that names the version it was made for: a server that
 * has a newer one answers with a conflict, and what others wrote is not lost.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/error.h"

/* Appends its text; nothing when there is no change. */
MUST_USE struct error *guarded_patch_write(const struct object *before,
                                           const struct json_value *after, struct buf *out);
