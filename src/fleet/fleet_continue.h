/*
 * The continue token of a list over all clusters: the cluster that comes next, its own token, when
 * it was made, and what was asked. It is authenticated with a key of this process, so that a caller
 * can use it but not make one, and holds for the same question alone.
 */
#pragma once

#include <stdint.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/timestamp.h"

struct fleet_continue_key {
    uint8_t bytes[32];
};

void fleet_continue_key_init(struct fleet_continue_key *key);

struct fleet_continue {
    struct key cluster; /* whose turn is next; gone meanwhile: the one behind it */
    struct str token;   /* of that cluster; empty: its list begins */
};

/* The question is any text that must be the same for the next page. */
struct str fleet_continue_write(struct arena *arena, const struct fleet_continue_key *key,
                                struct str question, timestamp now,
                                const struct fleet_continue *next);

/* ERROR_EXPIRED (410) for a token that is not ours or older than an hour, ERROR_BAD_REQUEST for one
 * of another question. */
MUST_USE struct error *fleet_continue_read(struct arena *arena,
                                           const struct fleet_continue_key *key,
                                           struct str question, timestamp now, struct str text,
                                           struct fleet_continue *ret_next);
