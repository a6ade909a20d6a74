/*
 * Metadata that every managed object carries: owner reference, labels, annotations, checksums.
 * (The specification calls adding them mutation.)
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

    /*
     * Objects that the managed object is made of. They are recorded in the pod templates of
     * workloads.
     */
    const struct object *const *resources;
    size_t resource_count;
};

/* Makes a decorated copy. ERROR_INVALID when the object cannot belong to the owner. */
MUST_USE struct error *object_decoration_apply(struct arena *arena,
                                               const struct object_decoration *decoration,
                                               const struct object *desired,
                                               struct object **ret_object);

/* Makes a copy that an apply may send: without fields that the server sets, status, and nulls. */
MUST_USE struct error *object_decoration_for_wire(const struct object *object,
                                                  struct object **ret_object);
