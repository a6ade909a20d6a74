/*
 * The change of an object as a merge patch that carries the resourceVersion it was made for. A
 * server with a newer version answers 409 Conflict, so that changes of others are not overwritten.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/error.h"

/* Appends the text of the patch; nothing when before and after are equal. */
MUST_USE struct error *guarded_patch_write(const struct object *before,
                                           const struct json_value *after, struct buf *out);
