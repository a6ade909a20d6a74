/*
 * Discovery documents, read into versions (discovery_table.h). Private to this folder.
 *
 * An aggregated document holds whole groups. A plain document holds either names or the resources
 * of one group/version. Both give equal versions for equal APIs. Resources without a name or a kind
 * are left out, since an aggregated API server behind the main one may have sent them. Anything
 * else that is wrong makes the whole document an error, ERROR_PROTOCOL or ERROR_TOO_LARGE.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "client/discovery/discovery_table.h"

/* Limits against hostile servers. Large clusters have some hundred versions. */
#define DISCOVERY_VERSIONS_MAX  ((size_t)4096)
#define DISCOVERY_RESOURCES_MAX ((size_t)8192) /* of one group/version */

/* Of one server: what is kept as long as it is connected. Large clusters have some thousand. */
#define DISCOVERY_KEPT_RESOURCES_MAX ((size_t)20000)
#define DISCOVERY_KEPT_NAMES_MAX     (2 * MEGABYTE)

struct json_doc;

/* Versions in the order of the document. The caller sets the arena, which holds all texts. */
struct discovery_versions {
    struct arena *arena;
    struct discovery_version *items;
    size_t count, capacity;
    struct map seen; /* "group/version" */
};

void discovery_versions_done(struct discovery_versions *versions);

/* True if the Content-Type is that of aggregated discovery, v2 or v2beta1. */
bool discovery_is_aggregated(struct str content_type);

/* APIGroupDiscoveryList, from /api (core) or from /apis. */
MUST_USE struct error *discovery_read_aggregated(struct json_doc *doc, bool core,
                                                 struct discovery_versions *versions);

/* APIVersions, from /api. Gives versions of DISCOVERY_LISTED, as do the next two. */
MUST_USE struct error *discovery_read_core(struct json_doc *doc,
                                           struct discovery_versions *versions);

/* APIGroupList, from /apis. */
MUST_USE struct error *discovery_read_groups(struct json_doc *doc,
                                             struct discovery_versions *versions);

/* APIGroup, from /apis/<group>. */
MUST_USE struct error *discovery_read_group(struct json_doc *doc, struct str group,
                                            struct discovery_versions *versions);

/* APIResourceList, from /api/<version> or /apis/<group>/<version>. */
MUST_USE struct error *discovery_read_resources(struct json_doc *doc, struct str group,
                                                struct str version,
                                                struct discovery_versions *versions);

/* Valid names of groups and versions, which may be part of a path. A group may be empty. */
bool discovery_is_group(struct str group);
bool discovery_is_version(struct str version);
