/*
 * Objects along their types: which fields an object has, what two of them differ in, and new
 * objects made by merging and by taking fields out.
 *
 * Everything lives in the walk's arena, documents that are made included. Nothing recurses deeper
 * than FIELD_DEPTH_MAX; what lies there is one field. The time is that of sorting the document.
 */
#pragma once

#include "apiserver/managedfields/field_set.h"
#include "apiserver/managedfields/field_type.h"
#include "json/json.h"

struct field_walk {
    struct arena *arena;
    const struct json_value *zeros[6]; /* private: values that absent ones count as */
    struct field_items_memo *memo;     /* private: large lists that were read before */
};

void field_walk_init(struct field_walk *walk, struct arena *arena);

/*
 * Whether a value fits its type, in the words of an API server: ".spec.x: field not declared in
 * schema". ERROR_UNKNOWN, as it answers 500 without a reason. Elements of sets and maps that are
 * there twice are fine only when duplicates are allowed.
 */
MUST_USE struct error *field_walk_check(struct field_walk *walk, struct field_type type,
                                        const struct json_value *value, bool duplicates);

/* The functions below expect values that fit. */

/* The fields that a value names. */
struct field_set field_walk_set(struct field_walk *walk, struct field_type type,
                                const struct json_value *value);

struct field_changes {
    struct field_set added, modified, removed;
};

struct field_changes field_walk_compare(struct field_walk *walk, struct field_type type,
                                        const struct json_value *before,
                                        const struct json_value *after);

/* What the second one says, in addition to what only the first one says. */
MUST_USE struct error *field_walk_merge(struct field_walk *walk, struct field_type type,
                                        const struct json_value *base,
                                        const struct json_value *patch,
                                        const struct json_value **ret_value);

/* Without the fields of a set and all below them. */
MUST_USE struct error *field_walk_remove(struct field_walk *walk, struct field_type type,
                                         const struct json_value *value,
                                         const struct field_set *fields,
                                         const struct json_value **ret_value);

/* A set in which every ancestor that is declared by name is a member, too. */
struct field_set field_walk_with_ancestors(struct field_walk *walk, struct field_type type,
                                           struct field_set set);

/* A set in which containers that are atomic are members and end there. */
struct field_set field_walk_fold_atomic(struct field_walk *walk, struct field_type type,
                                        struct field_set set);
