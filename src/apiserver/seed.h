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

enum seed_mode {
    SEED_IF_MISSING, /* what is there stays as it is */
    SEED_MERGE,      /* what is there gets these members; nothing is written when it has them */
    SEED_AMEND,      /* the same, and what is missing stays missing */
};

/* Suspends until it is durable. */
MUST_USE struct error *seed_put(struct api *api, struct json_doc *doc, enum seed_mode mode);
