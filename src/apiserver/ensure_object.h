/*
 * Objects that the process itself puts into an API: what it begins with, and what it keeps there.
 *
 * They are taken as they are: nobody is asked, nothing is decoded, defaulted or validated. Their
 * kinds are served by the API.
 */
#pragma once

#include "base/error.h"
#include "json/json.h"

struct api;

enum ensure_object_mode {
    ENSURE_IF_MISSING, /* what is there stays as it is */
    ENSURE_MERGE,      /* what is there gets these members; nothing is written when it has them */
    ENSURE_AMEND,      /* the same, and what is missing stays missing */
};

/* Suspends until it is durable. */
MUST_USE struct error *ensure_object(struct api *api, struct json_doc *doc,
                                     enum ensure_object_mode mode);
