/*
 * What clients learn about the kinds that are served: discovery, plain and aggregated, and the
 * OpenAPI documents that kubectl needs before it sends a manifest.
 *
 * All are functions from a list of kinds to a text. Kinds of one group and version stand together,
 * groups in the order of discovery, versions of a group in the order of preference.
 */
#pragma once

#include "apiserver/registry/kind.h"
#include "base/buf.h"

struct kind_list {
    const struct kind *const *items;
    size_t count;
};

/* GET /api and /apis; the address is what clients should call, "127.0.0.1:7443". */
void kind_discovery_versions(struct buf *out, struct str address);
void kind_discovery_groups(struct buf *out, struct kind_list kinds);

/* GET /apis/<group>; false when there is none. */
bool kind_discovery_group(struct buf *out, struct kind_list kinds, struct str group);

/* GET /api/v1 and /apis/<group>/<version>; false when there is none. */
bool kind_discovery_resources(struct buf *out, struct kind_list kinds, struct str group,
                              struct str version);

/* The aggregated form (apidiscovery.k8s.io/v2): of the core group, or of all others. */
void kind_discovery_aggregated(struct buf *out, struct kind_list kinds, bool core);

/*
 * /openapi/v2 as protobuf and as JSON; /openapi/v3, with a hash per document. The prefix is that of
 * the API's paths: kubectl takes the URLs of the index as they are.
 */
void kind_openapi_v2_protobuf(struct buf *out, struct kind_list kinds);
void kind_openapi_v2(struct buf *out, struct kind_list kinds);
void kind_openapi_v3_index(struct buf *out, struct kind_list kinds, struct str prefix);

/* /openapi/v3/api/v1 and /openapi/v3/apis/<group>/<version>; false when there is none. */
bool kind_openapi_v3(struct buf *out, struct kind_list kinds, struct str group, struct str version);
