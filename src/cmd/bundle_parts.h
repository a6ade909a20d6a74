/*
 * Manifests of any size, cut into ConfigMaps or Secrets that a ClusterResourceSet can name.
 *
 * Objects are put into the order in which one resource with all of them would be applied
 * (content_items_sort()): Namespaces, then CustomResourceDefinitions, and so on. They are then
 * written one after the other, and a new part begins where the next one does not fit. So the parts
 * in their order bring the same objects in the same order.
 *
 * Every part is read back as a controller would read it, and compared, before it is handed out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "clusterresourceset/types/content_items.h"

/* A ClusterResourceSet can name 100; with two digits their files sort as they are named there. */
#define BUNDLE_PARTS_MAX ((size_t)99)

struct bundle_options {
    struct str name;              /* parts are called name-01, name-02 … */
    struct str namespace;         /* of the parts; empty: they say none */
    struct str default_namespace; /* for the annotation; empty: none */
    size_t max;                   /* bytes of the data of a part */
    bool secret, gzip;
};

struct bundle_parts {
    struct object **items; /* ConfigMaps or Secrets */
    size_t count, capacity;
};

void bundle_parts_done(struct bundle_parts *parts);

/*
 * Sorts the items. ERROR_TOO_LARGE if an object alone does not fit, or if there are too many parts.
 */
MUST_USE struct error *bundle_parts_make(struct content_items *items,
                                         const struct bundle_options *options,
                                         struct bundle_parts *ret_parts);
