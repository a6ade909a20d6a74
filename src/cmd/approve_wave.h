/* The part of corset approve that is about waves: the token of a wave, and what it is good for.
 * Pure. */
#pragma once

#include <stdbool.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * False if the wave of the set does not wait for an approval; out says why. Otherwise out says what
 * the approval is about, in lines, and the token is in the arena.
 */
bool approve_wave_find(const struct object *set, struct str wave, struct arena *arena,
                       struct str *ret_token, struct buf *out);
