/*
 * Checksum annotations on applied objects: each records one parent of the object and the checksum
 * that the parent had when the object was applied. (The specification calls them markers.)
 *
 * The parents of an object are its owner and the resources it is made of. The checksum of the
 * owner is its generation, that of other parents their resourceVersion. While all checksums are
 * current, there is no reason to apply the object again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/str.h"
#include "json/edit.h"

struct checksum_annotation_parent {
    struct str namespace, group, kind, name;
    struct str checksum; /* empty: unknown, never equal, never stored */
};

struct checksum_annotation {
    struct str key; /* "default.configmap.checksum.corset.dev/web-config" */
    struct str checksum;
};

struct checksum_annotation_set {
    struct str domain;
    const struct checksum_annotation *annotations; /* one for each parent */
    size_t count;
};

/*
 * Makes the annotations for the given parents. Parents of equal namespace, kind and name but
 * different groups get keys that contain the group. Everything lives in the arena.
 */
struct checksum_annotation_set
checksum_annotation_set_new(struct arena *arena, struct str domain,
                            const struct checksum_annotation_parent *parents, size_t count);

/* A name as the name part of an annotation key: shortened and hashed if it does not fit. */
struct str checksum_annotation_fit_name(struct arena *arena, struct str name);

/* A name as the first part of a DNS name: lower case, always shortened and hashed. */
struct str checksum_annotation_short_name(struct arena *arena, struct str name);

/*
 * True if the annotations of the live object differ from the set, that is, if a parent has changed
 * since the object was applied.
 */
bool checksum_annotation_needs_apply(struct arena *arena, const struct checksum_annotation_set *set,
                                     const struct object *desired, const struct object *live);

/* Adds the annotations to an object that is about to be applied. */
void checksum_annotation_write(struct arena *arena, const struct checksum_annotation_set *set,
                               const struct object *desired, struct json_edit *edit);
