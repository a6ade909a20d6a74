/*
 * The paths of the fleet API, taken apart once and strictly.
 *
 *     P = /apis/fleet.corset.dev/v1alpha1
 *     P                                           FLEET_PATH_ROOT
 *     P/namespaces/NS/clusters/NAME/proxy/...     FLEET_PATH_ONE
 *     P/fleet/...                                 FLEET_PATH_ALL
 *
 * Whatever two programs could read differently is refused: empty segments, "." and "..", also with
 * escapes, escaped slashes, NUL and control characters, broken escapes. What is left of a path
 * therefore names the same thing here and on the cluster that it is sent to.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#define FLEET_GROUP   "fleet.corset.dev"
#define FLEET_VERSION "v1alpha1"
#define FLEET_PREFIX  "/apis/" FLEET_GROUP "/" FLEET_VERSION

enum fleet_path_kind {
    FLEET_PATH_UNKNOWN, /* nothing is served there */
    FLEET_PATH_GROUP,   /* /apis/fleet.corset.dev */
    FLEET_PATH_ROOT,
    FLEET_PATH_ONE,
    FLEET_PATH_ALL,
};

struct fleet_path {
    enum fleet_path_kind kind;
    struct key cluster;         /* of FLEET_PATH_ONE */
    struct str rest;            /* of both: as it came, "/" at least */
    struct str query;           /* as it came */
    const struct str *segments; /* of rest, unescaped */
    size_t segment_count;
};

/* True if a target is below the group of this API, whether it can be read or not. */
bool fleet_path_is_ours(struct str target);

/* ERROR_BAD_REQUEST for what is ambiguous. Texts live in the arena or in the target. */
MUST_USE struct error *fleet_path_read(struct arena *arena, struct str target,
                                       struct fleet_path *ret_path);

/* Whether one of the unescaped segments of the rest is this word. */
bool fleet_path_has(const struct fleet_path *path, struct str segment);
