/*
 * What every managed object carries: whose it is, who made it, of what.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/error.h"
#include "framework/checksum_annotation.h"

struct object_decoration {
    struct str domain, class_name, controller, version;
    const struct object *owner;
    bool owner_is_namespaced, object_is_namespaced;
    const struct checksum_annotation_set *annotations; /* NULL: none */

    /* Resources it is made of, for the templates of workloads. */
    const struct object *const *resources;
    size_t resource_count;
};

/* ERROR_INVALID when the object cannot belong to the owner. */
MUST_USE struct error *object_decoration_apply(struct arena *arena,
                                               const struct object_decoration *decoration,
                                               const struct object *desired,
                                               struct object **ret_object);

/* What an apply may send: without what the server sets, a status, and nulls. */
MUST_USE struct error *object_decoration_for_wire(const struct object *object,
                                                  struct object **ret_object);
