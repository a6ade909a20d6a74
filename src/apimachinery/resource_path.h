/*
 * The path of a resource on a server, both ways.
 *
 *     /api/v1/[namespaces/{namespace}/]{resource}[/{name}[/{subresource}]]              core group
 *     /apis/{group}/{version}/[namespaces/{namespace}/]{resource}[/{name}[/{subresource}]]
 *
 * A path without a name is a collection. A path without a namespace is cluster-scoped or covers all
 * namespaces. Segments are escaped, so that no name can change the structure of the path.
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
 * False when the text is no such path: other roots, too few segments, empty ones, malformed
 * escapes. The text is the path alone, without a query. A namespace itself is the resource
 * "namespaces" with a name.
 */
bool resource_path_read(struct arena *arena, struct str text, struct resource_path *ret_path);
