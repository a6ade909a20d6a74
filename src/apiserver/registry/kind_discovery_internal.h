/*
 * Shared by discovery and OpenAPI: ranges of a sorted list of kinds, and the output of documents.
 */
#pragma once

#include "apiserver/registry/kind_discovery.h"
#include "json/builder.h"

/* The kinds [at, end) of a list. */
struct kind_range {
    size_t at, end;
};

/* The range of the group, or of the group and version, of the kind at a position. */
struct kind_range kind_range_of_group(struct kind_list kinds, size_t at);
struct kind_range kind_range_of_version(struct kind_list kinds, size_t at);

/* False when no kind has this group, or this group and version. */
bool kind_range_find_group(struct kind_list kinds, struct str group, struct kind_range *ret_run);
bool kind_range_find_version(struct kind_list kinds, struct str group, struct str version,
                             struct kind_range *ret_run);

/* Finishes a document and adds its text. A document that is too large marks the buffer as
 * overflowed; see buf_check(). */
void kind_discovery_write(struct buf *out, struct json_builder *builder);
