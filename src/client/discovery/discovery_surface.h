/*
 * Changes to a surface, each of which gives another one. Private to this folder.
 *
 * All return a reference for the caller and leave the surface they were given alone.
 */
#pragma once

#include "client/discovery/discovery_read.h"
#include "client/discovery/discovery_table.h"

/*
 * From the lists of a server: its core group and all others. NULL in place of one keeps that half
 * of the surface, which may be NULL when none is kept. Without "whole" the resources in the lists
 * are dropped, and only names stay.
 */
struct discovery_surface *discovery_surface_from_lists(struct discovery_pool *pool,
                                                       const struct discovery_surface *surface,
                                                       const struct discovery_versions *core,
                                                       const struct discovery_versions *groups,
                                                       bool whole);

/* With this version in place of what was known about it; a new one goes where version_cmp() says.
 */
struct discovery_surface *discovery_surface_with(struct discovery_pool *pool,
                                                 const struct discovery_surface *surface,
                                                 const struct discovery_version *version);

/* Without a whole group. */
struct discovery_surface *discovery_surface_without(struct discovery_pool *pool,
                                                    const struct discovery_surface *surface,
                                                    struct str group);

/* Without a version; of the others in its group nothing but the names stays. */
struct discovery_surface *discovery_surface_without_version(struct discovery_pool *pool,
                                                            const struct discovery_surface *surface,
                                                            struct str group, struct str version);

/* A group with the versions of a new list; what is known about them stays. */
struct discovery_surface *discovery_surface_relist(struct discovery_pool *pool,
                                                   const struct discovery_surface *surface,
                                                   struct str group,
                                                   const struct discovery_versions *versions);
