/*
 * The type of an object: group, version and kind, or group, version and resource.
 *
 * A kind ("Deployment") names objects, a resource ("deployments") names the part of a URL where
 * they are found. Discovery maps between the two. The core group is the empty string. All strings
 * are borrowed; gvk_copy() and gvr_copy() copy them to an arena.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct gvk {
    struct str group, version, kind;
};

struct gvr {
    struct str group, version, resource;
};

#define GVK(group_, version_, kind_)     ((struct gvk){STR(group_), STR(version_), STR(kind_)})
#define GVR(group_, version_, resource_) ((struct gvr){STR(group_), STR(version_), STR(resource_)})

bool gvk_eq(struct gvk a, struct gvk b);
bool gvr_eq(struct gvr a, struct gvr b);
struct gvk gvk_copy(struct arena *arena, struct gvk gvk);
struct gvr gvr_copy(struct arena *arena, struct gvr gvr);

/* From "apps/v1", or "v1" for the core group. ERROR_INVALID with more than one slash. */
MUST_USE struct error *gvk_from_api_version(struct str api_version, struct str kind,
                                            struct gvk *ret_gvk);

/* "apps/v1", "v1". */
struct str gvk_api_version(struct arena *arena, struct gvk gvk);

/*
 * As messages name them: "Deployment.apps" and "deployments.apps"; the core group is not written.
 */
struct str gvk_group_kind(struct arena *arena, struct gvk gvk);
struct str gvr_group_resource(struct arena *arena, struct gvr gvr);

/*
 * The order in which servers prefer versions: v2, v1, v1beta1, v1alpha1, and then names of other
 * forms in alphabetical order. Negative when a comes first.
 */
int version_cmp(struct str a, struct str b);
