/*
 * The token that lets go on what prune holds back, as an approval (types/approval.h).
 *
 * The token is good for one occasion: this set, this reason, this revision and, of clusters that
 * the set no longer selects, these clusters. What changes any of them needs another approval. Pure.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "clusterresourceset/prune_guard.h"

#define PRUNE_TOKEN_PREFIX "prune/"

/* "prune/" and 12 hexadecimal digits, in the arena. The clusters need not be sorted. */
struct str prune_token(struct arena *arena, struct str set_uid, enum prune_reason reason,
                       struct str revision, const struct str *clusters, size_t count);
