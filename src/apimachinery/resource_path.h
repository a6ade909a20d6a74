/*
 * Where a resource is found on a server, the way there and back.
 *
 *     /api/v1/[namespaces/{namespace}/]{resource}[/{name}[/{subresource}]]              core group
 *     /apis/{group}/{version}/[namespaces/{namespace}/]{resource}[/{name}[/{subresource}]]
 *
 * Without a name it is a collection; one without a namespace is cluster-scoped or spans all
 * namespaces. Segments are escaped, so that no name can leave its place.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "base/arena.h"
#include "base/str.h"

struct resource_path {
    struct gvr gvr;
    struct str namespace, name;
    struct str subresource; /* may hold slashes: "proxy/healthz" */
};

struct str resource_path_write(struct arena *arena, const struct resource_path *path);

/*
 * False when the text is none: other roots, too few segments, empty ones, broken escapes. Text is
 * the path alone, without a query. A namespace itself is the resource "namespaces" with a name.
 */
bool resource_path_read(struct arena *arena, struct str text, struct resource_path *ret_path);
