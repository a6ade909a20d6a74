/*
 * Positions by text, for containers that are looked into once. Private to this folder.
 *
 * Unlike a map it copies nothing: the texts must outlive it, and its memory is the arena's.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct field_index {
    struct field_index_slot *slots;
    size_t mask;       /* their number less one */
    struct str *texts; /* by position */
};

/* Room for this many texts, at positions below their number. */
void field_index_init(struct field_index *index, struct arena *arena, size_t most);

/* The position of an equal text that is there already; otherwise STR_NONE, and it is put in. */
size_t field_index_put(struct field_index *index, struct str text, size_t position);

/* The position of a text, or STR_NONE. Nothing is found in an index that was not made. */
size_t field_index_find(const struct field_index *index, struct str text);
