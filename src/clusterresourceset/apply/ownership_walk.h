/*
 * A walk through a set of fields as metadata.managedFields list it (fieldsV1). The set is a tree of
 * JSON objects. A node is a member of the set if it is empty or has the member "."; the other nodes
 * only lead to members. Pure.
 *
 *     struct ownership_walk walk;
 *     ownership_walk_init(&walk, fields);
 *     while ((node = ownership_walk_next(&walk)))
 *         if (is_enough(node))
 *             ownership_walk_skip(&walk);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/json.h"

/* Fields that are nested deeper are not visited. */
#define OWNERSHIP_WALK_DEPTH ((size_t)48)

struct ownership_walk {
    struct str
        steps[OWNERSHIP_WALK_DEPTH]; /* the path of the present node: "f:spec", "f:replicas" */
    size_t depth;
    struct json_iter levels[OWNERSHIP_WALK_DEPTH + 1];
    size_t level;
    const struct json_value *node; /* the present one; what is below it comes next */
};

/* fields may be NULL: an empty set. Borrowed. */
void ownership_walk_init(struct ownership_walk *walk, const struct json_value *fields);

/* The next node, an ancestor before what is below it; NULL at the end. */
const struct json_value *ownership_walk_next(struct ownership_walk *walk);

/* What is below the present node is not visited. */
void ownership_walk_skip(struct ownership_walk *walk);

bool ownership_walk_is_member(const struct json_value *node);

/* The node at the path of the present node in another set; NULL: there is none. */
const struct json_value *ownership_walk_find(const struct ownership_walk *walk,
                                             const struct json_value *fields);

/*
 * The path for people: spec.ports[80]. Keys of list items are values of the object: of what must
 * stay secret they are left out.
 */
void ownership_walk_write_path(const struct ownership_walk *walk, bool is_secret, struct buf *out);

/*
 * The members below which there are no others, the first of them: "data.k, spec.replicas and 3
 * more".
 */
void ownership_walk_write_all(const struct json_value *fields, bool is_secret, struct buf *out);
