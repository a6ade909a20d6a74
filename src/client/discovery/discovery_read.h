/*
 * The documents of discovery, read into versions (discovery_table.h). Private to this folder.
 *
 * Aggregated documents carry whole groups, plain ones either names or the resources of one
 * group/version; both give the same versions for the same API. Resources that lack what no lookup
 * can do without are left out, since they may come from a foreign server behind the one that
 * answers; anything else that is wrong makes the whole document an error, ERROR_PROTOCOL or
 * ERROR_TOO_LARGE.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "client/discovery/discovery_table.h"

/* More is refused. The largest known clusters have some hundred and some thousand. */
#define DISCOVERY_VERSIONS_MAX  ((size_t)4096)
#define DISCOVERY_RESOURCES_MAX ((size_t)8192) /* of one group/version */

/* What was read, in the order of the server. The caller sets the arena, in which texts live. */
struct discovery_versions {
    struct arena *arena;
    struct discovery_version *items;
    size_t count, capacity;
    struct map seen; /* "group/version" */
};

void discovery_versions_done(struct discovery_versions *versions);

/* Tells an aggregated answer from a plain one by its Content-Type. */
bool discovery_is_aggregated(struct str content_type);

/* APIGroupDiscoveryList, from /api (core) or from /apis. */
MUST_USE struct error *discovery_read_aggregated(struct str text, bool core,
                                                 struct discovery_versions *versions);

/* APIVersions, from /api. Gives versions of DISCOVERY_LISTED, as do the next two. */
MUST_USE struct error *discovery_read_core(struct str text, struct discovery_versions *versions);

/* APIGroupList, from /apis. */
MUST_USE struct error *discovery_read_groups(struct str text, struct discovery_versions *versions);

/* APIGroup, from /apis/<group>. */
MUST_USE struct error *discovery_read_group(struct str text, struct str group,
                                            struct discovery_versions *versions);

/* APIResourceList, from /api/<version> or /apis/<group>/<version>. */
MUST_USE struct error *discovery_read_resources(struct str text, struct str group,
                                                struct str version,
                                                struct discovery_versions *versions);

/* A group may be empty, a version not; what is neither can stand in no path. */
bool discovery_is_group(struct str group);
bool discovery_is_version(struct str version);
