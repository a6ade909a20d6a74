/*
 * Makes what holds in every document (json_internal.h) hold in a fresh one. Private to this folder.
 */
#pragma once

#include "json/members.h"

/* What the pass over a fresh document found. repeats_done() releases it. */
struct normalize_findings {
    const yyjson_val *infinite; /* the first number that is too large */
    size_t containers;
    struct repeats repeats;
};

void normalize_inspect(yyjson_val *root, struct normalize_findings *ret_findings);

/* Gives the document new values without the members that repeats_find() marked. */
void normalize_drop_superseded(struct json_doc *doc);

/* For documents that were built: of members with one name the last stays. */
void normalize_members(struct json_doc *doc);
