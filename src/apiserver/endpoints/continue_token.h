/* The continue token of a list: a revision and the last key that was returned. */
#pragma once

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/error.h"

struct str continue_token_write(struct arena *arena, int64_t revision, struct str namespace,
                                struct key last);

/*
 * ERROR_BAD_REQUEST. A token written with revision -1 continues with the newest state: 0 is
 * returned.
 */
MUST_USE struct error *continue_token_read(struct arena *arena, struct str token,
                                           struct str namespace, int64_t *ret_revision,
                                           struct key *ret_after);
