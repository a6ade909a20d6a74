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

struct marker_parent {
    struct str namespace, group, kind, name;
    struct str checksum; /* empty: unknown, never equal, never stored */
};

struct marker {
    struct str key; /* "default.configmap.checksum.corset.dev/web-config" */
    struct str checksum;
};

struct marker_set {
    struct str domain;
    const struct marker *markers; /* one for each parent */
    size_t count;
};

/* Two parents whose keys would be the same have their groups in them. All of it is in the arena. */
struct marker_set marker_set_new(struct arena *arena, struct str domain,
                                 const struct marker_parent *parents, size_t count);

/* A name as the name part of an annotation: shortened and hashed if it does not fit. */
struct str marker_fit_name(struct arena *arena, struct str name);

/* The same as the beginning of a DNS name, lower case, always shortened and hashed. */
struct str marker_short_name(struct arena *arena, struct str name);

/* Whether the live object was made of something else than what there is now. */
bool marker_needs_apply(struct arena *arena, const struct marker_set *set,
                        const struct object *desired, const struct object *live);

/* Puts the markers into an object that is about to be applied. */
void marker_write(struct arena *arena, const struct marker_set *set, const struct object *desired,
                  struct json_edit *edit);
