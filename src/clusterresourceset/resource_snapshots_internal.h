/* The fields of resource_snapshots, for resource_snapshots.c and for tests that count requests. */
#pragma once

#include "base/map.h"
#include "clusterresourceset/resource_snapshots.h"

struct resource_snapshots {
    struct resource_snapshots_options options;
    struct map resources; /* "kind/namespace/name" -> struct resource_entry */
    size_t fetches;       /* GET requests so far */
    size_t reads;         /* contents taken apart so far */
};
