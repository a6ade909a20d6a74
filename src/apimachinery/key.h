/*
 * What tells objects of one kind apart: namespace and name. The namespace of a cluster-scoped
 * object is empty. Strings are borrowed; key_copy() makes them live as long as an arena.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct key {
    struct str namespace, name;
};

#define KEY(namespace_, name_) ((struct key){STR(namespace_), STR(name_)})

bool key_eq(struct key a, struct key b);

/* See str_hash() about the seed. */
uint64_t key_hash(struct key key, uint64_t seed);

struct key key_copy(struct arena *arena, struct key key);

/* "namespace/name", or "name" without a namespace. What is written is read as the same. */
void key_write(struct buf *out, struct key key);
struct str key_text(struct arena *arena, struct key key);

/* ERROR_INVALID with more than one slash. The key borrows from the text. */
MUST_USE struct error *key_read(struct str text, struct key *ret_key);
