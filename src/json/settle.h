/*
 * Makes what holds in every document (json_internal.h) hold in a fresh one. Private to this folder.
 */
#pragma once

#include "json/members.h"

/* What the pass over a fresh document found. repeats_done() releases it. */
struct findings {
    const yyjson_val *infinite; /* the first number that is too large */
    size_t containers;
    struct repeats repeats;
};

void settle_inspect(yyjson_val *root, struct findings *ret_findings);

/* Gives the document new values without the members that repeats_find() marked. */
void settle_drop_superseded(struct json_doc *doc);

/* For documents that were built: of members with one name the last stays. */
void settle_members(struct json_doc *doc);
