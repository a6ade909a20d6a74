/*
 * Objects that the process itself puts into an API.
 *
 * They are taken as they are: no user is authorized, nothing is decoded, defaulted or validated.
 * The API must serve their kinds.
 */
#pragma once

#include "base/error.h"
#include "json/json.h"

struct api;

enum ensure_object_mode {
    ENSURE_IF_MISSING, /* an existing object is left alone */
    ENSURE_MERGE,      /* an existing object is merge-patched, if that changes it */
    ENSURE_AMEND,      /* ENSURE_MERGE, but a missing object is not created */
};

/* Suspends until the object is durable. */
MUST_USE struct error *ensure_object(struct api *api, struct json_doc *doc,
                                     enum ensure_object_mode mode);
