/*
 * Private to discovery: ranges of a sorted list of kinds, and the output of documents.
 */
#pragma once

#include "apiserver/registry/kind_discovery.h"
#include "json/builder.h"

/* The range of the group of the kind at a position. */
struct kind_range kind_range_of_group(struct kind_list kinds, size_t at);

/* False when no kind has this group. */
bool kind_range_find_group(struct kind_list kinds, struct str group, struct kind_range *ret_run);

/* Finishes a document and adds its text. A document that is too large marks the buffer as
 * overflowed; see buf_check(). */
void kind_discovery_write(struct buf *out, struct json_builder *builder);
