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

#include "api/object.h"
#include "base/arena.h"
#include "base/str.h"
#include "json/edit.h"

struct marker_parent {
    struct str namespace, group, kind, name;
    struct str checksum; /* empty: unknown, never equal, never stored */
};

struct marker_set {
    struct str domain;
    const struct marker_parent *parents;
    size_t count;
};

/* "default.configmap.checksum.corset.dev/web-config"; is_shared: the group is needed to tell apart.
 */
struct str marker_key(struct arena *arena, struct str domain, const struct marker_parent *parent,
                      bool is_shared);

/* A name as the name part of an annotation: shortened and hashed if it does not fit. */
struct str marker_fit_name(struct arena *arena, struct str name);

/* Whether the live object was made of something else than what there is now. */
bool marker_needs_apply(struct arena *arena, const struct marker_set *set,
                        const struct object *desired, const struct object *live);

/* Puts the markers into an object that is about to be applied. */
void marker_write(struct arena *arena, const struct marker_set *set, const struct object *desired,
                  struct json_edit *edit);
