/*
 * Discovery, plain and aggregated, and the OpenAPI documents that kubectl reads before it sends a
 * manifest.
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

/*
 * GET /openapi/v2 as protobuf and as JSON, and the index /openapi/v3 with a hash per document. The
 * prefix stands before the path of every URL of the index: kubectl uses these URLs as they are.
 */
void kind_openapi_v2_protobuf(struct buf *out, struct kind_list kinds);
void kind_openapi_v2(struct buf *out, struct kind_list kinds);
void kind_openapi_v3_index(struct buf *out, struct kind_list kinds, struct str prefix);

/* GET /openapi/v3/api/v1 and /openapi/v3/apis/<group>/<version>; false when there is none. */
bool kind_openapi_v3(struct buf *out, struct kind_list kinds, struct str group, struct str version);
