/*
 * Approval of what prune holds back: a token in the annotation corset.dev/approve of the set.
 *
 * The token is good for one occasion: this set, this reason, this revision and, of clusters that
 * the set no longer selects, these clusters. What changes any of them needs another approval. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/str.h"
#include "clusterresourceset/prune_guard.h"

#define PRUNE_APPROVE_ANNOTATION "corset.dev/approve" /* tokens, comma-separated */
#define PRUNE_TOKEN_PREFIX       "prune/"

/* "prune/" and 12 hexadecimal digits, in the arena. The clusters need not be sorted. */
struct str prune_token(struct arena *arena, struct str set_uid, enum prune_reason reason,
                       struct str revision, const struct str *clusters, size_t count);

/* Whether the annotation of the set has the token. An empty token is never approved. */
bool prune_token_is_approved(const struct object *set, struct str token);
