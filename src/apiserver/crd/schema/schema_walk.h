/*
 * Iteration over the objects and arrays of a document that a schema describes, outer ones first.
 * Private to schema*.c.
 *
 *     SCOPED(schema_walk) walk = schema_walk_of(root, object);
 *     while (schema_walk_next(&walk, &visit)) ...
 */
#pragma once

#include "apiserver/crd/schema/schema_internal.h"
#include "base/buf.h"

struct schema_visit {
    const struct schema_node *node;
    const struct json_value *value;
    struct str path; /* valid until the next call */
};

struct schema_walk_frame;

struct schema_walk {
    struct schema_visit first;
    struct schema_walk_frame *frames;
    size_t count, capacity;
    struct buf path;
    bool started;
};

static inline struct schema_walk schema_walk_of(const struct schema_node *node,
                                                const struct json_value *value)
{
    return (struct schema_walk){
        .first = {.node = node, .value = value}
    };
}

void schema_walk_done(struct schema_walk *walk);
bool schema_walk_next(struct schema_walk *walk, struct schema_visit *ret_visit);

/* Adds ".key" for a member of an object, "[index]" for an element of an array. */
void schema_path_add(struct buf *path, const struct json_value *container, struct str key,
                     size_t index);
