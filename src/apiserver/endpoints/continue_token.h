/*
 * The token with which a list goes on: a revision and the last key that was shown.
 */
#pragma once

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/error.h"

struct str continue_token_write(struct arena *arena, int64_t revision, struct str namespace,
                                struct key last);

/* ERROR_BAD_REQUEST. Written with revision -1, it goes on with whatever is newest: 0 comes back. */
MUST_USE struct error *continue_token_read(struct arena *arena, struct str token,
                                           struct str namespace, int64_t *ret_revision,
                                           struct key *ret_after);
