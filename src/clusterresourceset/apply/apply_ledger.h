/*
 * The objects of a set that were applied to a cluster in one pass, for its delivery record.
 *
 * Pure. Texts are in the arena.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

#define APPLY_LEDGER_DIGEST_LEN 32 /* hexadecimal digits */

/* What an answer said of an object that was applied by a policy. Texts are borrowed. */
struct apply_receipt {
    struct key key;
    struct str uid;
    struct str ownership; /* see ownership_digest() */
    struct str version;   /* resourceVersion */
    bool ignores_drift;   /* by the annotation corset.dev/drift: the digest leaves it out */
};

struct apply_ledger {
    struct arena *arena;
    struct str *kinds; /* "v1/ConfigMap", each once, in the order in which they came */
    size_t kind_count, kind_capacity;
    struct map versions; /* "group/kind" -> the newest version of an answer; in the arena */
    struct map objects;  /* "group/kind ns/name" -> the line of the digest; in the arena */
};

void apply_ledger_done(struct apply_ledger *ledger);

/* An object of this kind was applied. Of one that is there twice the last receipt counts. */
void apply_ledger_add(struct apply_ledger *ledger, struct gvk gvk,
                      const struct apply_receipt *receipt);

/* Versions of one server are numbers; an empty one is older than any. */
bool apply_ledger_is_newer(struct str version, struct str than);

/* Of an element of ledger->objects: uid and ownership, borrowed. The key of the element names it.
 */
struct apply_receipt apply_ledger_receipt(const struct map_entry *entry);

/* Adds objects of another ledger that this one does not have. Their lines are borrowed. */
void apply_ledger_add_missing(struct apply_ledger *ledger, const struct map *objects);

/*
 * A digest of all objects: SHA-256 over the sorted lines "group/kind ns/name uid ownership". As
 * long as it is the same, nothing was deleted, made anew, or taken from the set.
 */
struct str apply_ledger_digest(const struct apply_ledger *ledger,
                               char text[static APPLY_LEDGER_DIGEST_LEN + 1]);
