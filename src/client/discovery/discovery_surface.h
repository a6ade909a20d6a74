/*
 * Surfaces made from lists and from other surfaces. Private to this folder.
 *
 * Every function returns a new reference and leaves the given surface unchanged.
 */
#pragma once

#include "client/discovery/discovery_read.h"
#include "client/discovery/discovery_table.h"

/*
 * From the two lists of a server: /api (core) and /apis (groups). If "whole" is false the resources
 * in the lists are dropped and the versions become DISCOVERY_LISTED.
 */
struct discovery_surface *discovery_surface_from_lists(struct discovery_pool *pool,
                                                       const struct discovery_versions *core,
                                                       const struct discovery_versions *groups,
                                                       bool whole);

/* With this version, which replaces the former one. A new version goes where version_cmp() says. */
struct discovery_surface *discovery_surface_with(struct discovery_pool *pool,
                                                 const struct discovery_surface *surface,
                                                 const struct discovery_version *version);

/* Without a whole group. */
struct discovery_surface *discovery_surface_without(struct discovery_pool *pool,
                                                    const struct discovery_surface *surface,
                                                    struct str group);

/* Without a version. The other versions of its group become DISCOVERY_LISTED. */
struct discovery_surface *discovery_surface_without_version(struct discovery_pool *pool,
                                                            const struct discovery_surface *surface,
                                                            struct str group, struct str version);

/* With the versions of a new list of the group. Tables of versions that stay are kept. */
struct discovery_surface *discovery_surface_relist(struct discovery_pool *pool,
                                                   const struct discovery_surface *surface,
                                                   struct str group,
                                                   const struct discovery_versions *versions);
