/*
 * What discovery and OpenAPI share: walks over a list of kinds, and texts made of documents.
 */
#pragma once

#include "apiserver/registry/kind_discovery.h"
#include "json/builder.h"

/* Kinds [at, end) of a list. */
struct kind_range {
    size_t at, end;
};

/* The kinds of one group, or of one version of it, that start at a position. */
struct kind_range kind_range_of_group(struct kind_list kinds, size_t at);
struct kind_range kind_range_of_version(struct kind_list kinds, size_t at);

/* False when there is no such kind. */
bool kind_range_find_group(struct kind_list kinds, struct str group, struct kind_range *ret_run);
bool kind_range_find_version(struct kind_list kinds, struct str group, struct str version,
                             struct kind_range *ret_run);

/* The built document as text. One that is too large shows as an overflow; see buf_check(). */
void kind_discovery_write(struct buf *out, struct json_builder *builder);
