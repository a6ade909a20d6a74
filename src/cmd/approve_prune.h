/* The part of corset approve that is about prune: the tokens of what is held, and what it is. Pure.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Tokens that were found, each once, in the arena. */
struct approve_tokens {
    struct str *items;
    size_t count, capacity;
};

/*
 * Adds the token of what is held on one cluster by the record of its binding, if anything is; out
 * gets a line that says what it is.
 */
void approve_prune_add(const struct object *binding, struct str set, struct arena *arena,
                       struct approve_tokens *tokens, struct buf *out);
