/*
 * What is drift of an object: it is gone, it was made anew, no field of it is the set's any more,
 * or other fields than those that were applied. Nothing else is: labels, annotations and fields of
 * others, the status and defaults leave the set's entry in managedFields as it is.
 *
 * A drift memory has what the last answer said of each object of a set on a cluster, in 16 bytes
 * each. It may be lost: the digest in the delivery record tells after a restart whether anything
 * moved. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/str.h"
#include "clusterresourceset/apply/apply_ledger.h"

/*
 * True if the record has to say that drift was not checked: the last check that succeeded is longer
 * ago than a minute and than two intervals. One check that fails is not recorded.
 */
bool drift_is_unchecked(duration unchecked, duration interval);

enum drift {
    DRIFT_NONE,
    DRIFT_GONE,    /* no object has the name */
    DRIFT_TAKEN,   /* the set has applied nothing of it, as far as the server knows */
    DRIFT_CHANGED, /* it was made anew, or fields left the set's entry, or came to it */
    DRIFT_UNKNOWN, /* nothing is remembered of the object */
};

/* Of one object: hashes of its name, and of its UID and of what the set owns of it. */
struct drift_note {
    uint64_t id;
    uint64_t state : 63;
    uint64_t has_drifted : 1; /* and this was noted */
};

struct drift_memory {
    struct drift_note *notes;
    size_t count, capacity;
};

void drift_memory_done(struct drift_memory *memory);

/* id is "group/kind ns/name", ownership as in ownership_digest(). Replaces what there was. */
void drift_memory_put(struct drift_memory *memory, struct str id, struct str uid,
                      struct str ownership);

/* Everything that was applied in one pass. Forgets all else. */
void drift_memory_put_all(struct drift_memory *memory, const struct apply_ledger *ledger);

/*
 * Notes whether an object has drifted. Returns true if it has and had not before; it has not when
 * it is put.
 */
bool drift_memory_note(struct drift_memory *memory, struct str id, bool has_drifted);

/* Whether it was noted that the object has drifted. */
bool drift_memory_has_drifted(const struct drift_memory *memory, struct str id);

/* The verdict about a live object. An empty uid: there is none. An empty ownership: no entry. */
enum drift drift_memory_judge(const struct drift_memory *memory, struct str id, struct str uid,
                              struct str ownership);
