/*
 * What is known of prune of one set, cluster by cluster, and of the occasion on which clusters lose
 * the set.
 *
 * A note says what the record in the binding of the cluster says. It may be lost: a new process
 * reads it there again. A cluster whose objects are well has none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/duration.h"
#include "base/map.h"
#include "base/str.h"
#include "clusterresourceset/prune_guard.h"
#include "clusterresourceset/types/delivery.h"

struct crs_controllers;
struct crs_set;

struct prune_note {
    enum delivery_prune_state state;
    bool is_removed;      /* for the reason PRUNE_REMOVED, or for none yet */
    size_t objects, kept; /* as in struct delivery_prune */
    char *token, *message;
    int64_t left_since; /* since when objects that were deleted are still there; 0: none is */
    duration pause;     /* before the next look at them */
    /*
     * The round of the plan by which objects were counted there, of PRUNE_REMOVED; of other reasons
     * PRUNE_NOTE_JUDGED() of it. 0: they were not.
     */
    uint64_t judged;
};

#define PRUNE_NOTE_JUDGED(reason) (UINT64_MAX - (uint64_t)(reason))

/* Clusters that lose the set at once, as the set was last looked at. */
struct prune_occasion {
    enum prune_reason reason;
    struct map clusters;   /* name -> not NULL: it may go on, whatever the limit says */
    size_t count, maximum; /* that lose the set, and that may */
    char *token;           /* NULL: there is no such occasion */
    char *message;         /* why it is held; NULL: it is not */
};

struct set_prune {
    struct map notes; /* name of the cluster -> struct prune_note */
    struct prune_occasion occasion;
    char *told; /* the token that the last event named */
};

struct set_prune *set_prune_new(void);
void set_prune_free(struct set_prune *prune); /* may be NULL */

struct prune_note *prune_note_find(struct crs_set *set, struct str cluster);
struct prune_note *prune_note_open(struct crs_set *set, struct str cluster);
void prune_note_drop(struct crs_set *set, struct str cluster);

/* Reads what the record of the set in the binding says. Returns whether that is something else. */
bool prune_note_read(struct crs_set *set, struct str cluster, const struct object *binding);

/*
 * Writes what is known into the record of the set, drops kinds of which nothing is left, and notes
 * it. Suspends.
 */
MUST_USE struct error *prune_note_write(struct crs_controllers *controllers, struct key set,
                                        struct key cluster, const struct delivery_prune *prune,
                                        const struct delivery_kinds *gone);

/* Objects that were deleted are still there: whether that is longer than they are waited for. */
bool prune_note_is_overdue(const struct prune_note *note, int64_t now);

/* The pause before the next look at them, which grows. note->left_since is set by the first. */
duration prune_note_next_pause(struct prune_note *note, int64_t now);
