/*
 * What kind of object: group, version and kind, or group, version and resource.
 *
 * Kinds ("Deployment") name objects, resources ("deployments") name the places in a URL where they
 * are found; discovery maps between them. The core group is the empty string. All strings are
 * borrowed; gvk_copy() and gvr_copy() make them live as long as an arena.
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
struct str gvr_api_version(struct arena *arena, struct gvr gvr);

/* As messages name them: "Deployment.apps" and "deployments.apps"; the core group adds nothing. */
struct str gvk_group_kind(struct arena *arena, struct gvk gvk);
struct str gvr_group_resource(struct arena *arena, struct gvr gvr);

/*
 * As command lines name them: "deployments", "deployments.apps", "deployments.v1.apps", "pods.v1.".
 * The part behind the first dot is a version if it has the form of one: v1, v2beta3, v1alpha1.
 * What is not given stays empty.
 */
struct gvr gvr_read(struct str text);
struct gvk gvk_read(struct str text);

/* The full form, "deployments.v1.apps", "pods.v1.": what is written is read as the same. */
struct str gvr_write(struct arena *arena, struct gvr gvr);

/*
 * The order in which servers prefer versions: v2 before v1, these before v1beta1, that before
 * v1alpha1, all of them before names of other forms, which stand in alphabetical order. Negative
 * when a comes first.
 */
int version_cmp(struct str a, struct str b);
