/*
 * Discovery, plain and aggregated. ../openapi writes the OpenAPI documents.
 *
 * All functions make a text from a list of kinds. The list must be sorted: kinds of one group and
 * version are contiguous, groups are in the order of discovery, versions of a group in the order of
 * preference.
 */
#pragma once

#include "apiserver/registry/kind.h"
#include "base/buf.h"

struct kind_list {
    const struct kind *const *items;
    size_t count;
};

/* The kinds [at, end) of a list. */
struct kind_range {
    size_t at, end;
};

/* The range of the group and version of the kind at a position. */
struct kind_range kind_range_of_version(struct kind_list kinds, size_t at);

/* False when no kind has this group and version. */
bool kind_range_find_version(struct kind_list kinds, struct str group, struct str version,
                             struct kind_range *ret_run);

/* GET /api and /apis. The address is that of the server, for example "127.0.0.1:7443". */
void kind_discovery_versions(struct buf *out, struct str address);
void kind_discovery_groups(struct buf *out, struct kind_list kinds);

/* GET /apis/<group>; false when there is no such group. */
bool kind_discovery_group(struct buf *out, struct kind_list kinds, struct str group);

/* GET /api/v1 and /apis/<group>/<version>; false when there is no such version. */
bool kind_discovery_resources(struct buf *out, struct kind_list kinds, struct str group,
                              struct str version);

/* Aggregated discovery (apidiscovery.k8s.io/v2): of /api for the core group, of /apis for others.
 */
void kind_discovery_aggregated(struct buf *out, struct kind_list kinds, bool core);
