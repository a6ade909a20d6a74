/*
 * Establishes the invariant that member names are unique (json_internal.h) in a document that was
 * just read or built. Private to this folder.
 */
#pragma once

#include "json/members.h"

/* Results of one pass over a document. Release repeats with repeats_done(). */
struct normalize_findings {
    const yyjson_val *infinite; /* the first number that is too large */
    size_t containers;
    struct repeats repeats;
};

void normalize_inspect(yyjson_val *root, struct normalize_findings *ret_findings);

/* Gives the document new values without the members that repeats_find() marked. */
void normalize_drop_superseded(struct json_doc *doc);

/* For documents that were built: keeps the last of several members with one name. */
void normalize_members(struct json_doc *doc);
