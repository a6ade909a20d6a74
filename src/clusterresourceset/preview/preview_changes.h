/*
 * The differences of two objects, each with the place where it is: what a person wants to see of a
 * change, without what only the server writes.
 *
 *     spec.template.spec.containers[cni].image    v1.2    v1.3
 *
 * Left out are managedFields, resourceVersion, generation, uid and creationTimestamp of the
 * metadata, and the status. Values are compared one by one, so that a change is as small as it can
 * be. Items of a list are paired by their name, or by another field that tells them apart, if all
 * of them have it; otherwise by their place in the list. Pure.
 *
 * Of what must stay secret the place is told, and whether values are equal. An item of a list is
 * then told by its number, because its name is a value, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "json/json.h"

struct preview_secrets;

/* More than so many differences of one object are counted alone. */
#define PREVIEW_CHANGES_MAX 1000

/* A longer text is cut; what it was is still compared. */
#define PREVIEW_TEXT_MAX ((size_t)16 * 1024)

struct preview_value {
    enum json_type type; /* JSON_ABSENT: there is none */
    struct str text;     /* a string as it is, anything else as JSON; empty for a secret */
    bool is_cut;
    size_t secret; /* see preview_secrets.h; 0: it is none */
};

struct preview_change {
    struct str path;
    struct preview_value before, after;
    bool is_order; /* the items of the list are in another order, and that is all */
};

struct preview_changes {
    struct preview_change *items;
    size_t count, capacity;
    size_t omitted; /* differences beyond the limit */
    uint64_t hash;  /* of everything, also of what was cut or omitted */
};

/*
 * Either may be NULL, for an object that is not there. With secrets every value is hidden. Texts
 * are in the arena.
 */
void preview_changes_find(const struct json_value *before, const struct json_value *after,
                          struct preview_secrets *secrets, struct arena *arena,
                          struct preview_changes *ret_changes);
