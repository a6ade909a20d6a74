/*
 * Markers: annotations on applied objects that say of what they were made.
 *
 * An object carries the checksum of each parent at the time it was applied: of the owner its
 * generation, of other parents their resourceVersion. As long as they are current there is nothing
 * to apply.
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

/* Two parents whose keys would be the same have their groups in them. All of it is in the arena. */
struct checksum_annotation_set
checksum_annotation_set_new(struct arena *arena, struct str domain,
                            const struct checksum_annotation_parent *parents, size_t count);

/* A name as the name part of an annotation: shortened and hashed if it does not fit. */
struct str checksum_annotation_fit_name(struct arena *arena, struct str name);

/* The same as the beginning of a DNS name, lower case, always shortened and hashed. */
struct str checksum_annotation_short_name(struct arena *arena, struct str name);

/* Whether the live object was made of something else than what there is now. */
bool checksum_annotation_needs_apply(struct arena *arena, const struct checksum_annotation_set *set,
                                     const struct object *desired, const struct object *live);

/* Puts the markers into an object that is about to be applied. */
void checksum_annotation_write(struct arena *arena, const struct checksum_annotation_set *set,
                               const struct object *desired, struct json_edit *edit);
