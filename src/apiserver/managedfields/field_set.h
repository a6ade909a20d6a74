/*
 * Sets of fields of an object: a tree whose edges are steps of a path.
 *
 * A step is a member ("f:name"), an element of a list that is a map ("k:{"port":80}"), of a set
 * ("v:"a""), or a place in a list ("i:0"). Every node that is a member of the set says so itself;
 * ancestors of members are in the tree, but not in the set for that reason alone.
 *
 * Nodes live in an arena and never change once they are made; results share them. Texts of steps
 * are borrowed from the documents they were made of. Children are sorted and different, and no node
 * is empty save the root.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "json/builder.h"
#include "json/json.h"

/* What lies deeper is one field: nothing here recurses further, as fibers have small stacks. */
#define FIELD_DEPTH_MAX 40

enum field_step_kind {
    FIELD_STEP_MEMBER = 'f',
    FIELD_STEP_KEY = 'k',
    FIELD_STEP_VALUE = 'v',
    FIELD_STEP_INDEX = 'i',
};

struct field_step {
    struct str text; /* a name as it is, all else as JSON with sorted members */
    char kind;
};

struct field_set {
    struct field_step step; /* of the root: nothing */
    struct field_set *children;
    uint32_t count;
    bool member;
};

static inline bool field_set_is_empty(const struct field_set *set)
{
    return !set->member && set->count == 0;
}

bool field_step_eq(struct field_step a, struct field_step b);

/* Members, keys, values, indices; names by their bytes, numbers by value. */
int field_step_cmp(struct field_step a, struct field_step b);

/* As messages write it: ".name", "[port=80,proto=\"TCP\"]", "[=\"a\"]", "[0]". */
void field_step_write(struct buf *out, struct field_step step);

/* The node behind a step, or NULL. */
const struct field_set *field_set_find(const struct field_set *set, struct field_step step);

/*
 * Building, inner nodes first: open a node, add what is below it, close it with the step that leads
 * to it. A node without anything in it vanishes.
 */
struct field_set_builder {
    struct arena *arena;
    struct field_set *stack; /* private */
    size_t count, capacity;
};

void field_set_builder_done(struct field_set_builder *builder);
size_t field_set_open(const struct field_set_builder *builder);
void field_set_close(struct field_set_builder *builder, size_t opened, struct field_step step,
                     bool member);
void field_set_add(struct field_set_builder *builder, struct field_step step);

/* Closes the root. */
struct field_set field_set_finish(struct field_set_builder *builder, size_t opened);

/* Of dotted paths of members. */
struct field_set field_set_of_paths(struct arena *arena, const char *const *paths, size_t count);

/* Algebra by exact paths; without_below also takes what lies below a member of b. */
struct field_set field_set_union(struct arena *arena, struct field_set a, struct field_set b);
struct field_set field_set_union_all(struct arena *arena, const struct field_set *sets,
                                     size_t count);
struct field_set field_set_without(struct arena *arena, struct field_set a, struct field_set b);
struct field_set field_set_without_below(struct arena *arena, struct field_set a,
                                         struct field_set b);
struct field_set field_set_common(struct arena *arena, struct field_set a, struct field_set b);

/* Calls for each member with the path as messages write it; members of a node before those below.
 */
typedef void field_set_visit_fn(void *data, struct str path);
void field_set_visit(const struct field_set *set, field_set_visit_fn *visit, void *data);

/* FieldsV1. ERROR_INVALID for what is none; steps of an unknown kind are dropped. */
MUST_USE struct error *field_set_read(struct arena *arena, const struct json_value *fields,
                                      struct field_set *ret_set);
void field_set_write(struct json_builder *builder, const struct field_set *set);
