/*
 * Deletes on one cluster what is a set's there and no longer wanted.
 *
 * prune_run_look() reads one list of each kind of the record, narrowed by the label of sets with a
 * policy, whole: without a resourceVersion, so that no cache answers, and to the last page. What is
 * not read to its end is an error, and nothing is known then. prune_run_delete() goes through what
 * the lists showed, in the reverse order of applying, kind by kind: it deletes the objects of a
 * kind as they were seen, by uid and resourceVersion, and goes on when a read says that they are
 * gone. An object that somebody changed meanwhile is not deleted: it has to be looked at again.
 *
 * Whether anything may be deleted is decided elsewhere (prune_guard.h), between the two.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "clusterresourceset/prune_judge.h"
#include "clusterresourceset/types/delivery.h"
#include "clusterresourceset/types/delivery_policy.h"

struct client;
struct discovery;
struct prune_kind;

/* An object of the set that no resource of it has. Texts are in the arena. */
struct prune_object {
    struct prune_kind *kind;
    struct key key;
    struct str uid, version;
    struct str finalizers; /* of one that is being deleted: what keeps it; may be empty */
    bool is_deleting;
};

/* "apps/v1" and "Deployment", in the arena. */
struct str prune_object_api_version(const struct prune_object *object, struct arena *arena);
struct str prune_object_kind(const struct prune_object *object, struct arena *arena);

struct prune_objects {
    struct prune_object *items;
    size_t count, capacity;
};

struct prune_run {
    /* What the caller says. */
    struct client *client; /* of the cluster */
    struct discovery *discovery;
    struct arena *arena;
    struct str manager; /* the field manager of the set */
    const struct delivery_policy *policy;
    struct delivery_kinds kinds; /* of the record */
    const struct map *wanted;    /* "group/kind ns/name" of every object in a resource of the set,
                                  * and "group/kind" of their kinds; NULL: nothing is wanted */
    bool is_overdue;             /* finalizers were waited for long enough */

    /* Called before everything that is written: false ends the run. Must not suspend. */
    bool (*may_go_on)(void *data);
    /* Called for each object that is gone; kind is "ConfigMap". Must not suspend. */
    void (*note_deleted)(void *data, struct str kind);
    void *data;

    /* What the lists showed. */
    struct prune_objects doomed, shared;
    size_t kept;
    struct buf kept_names; /* "v1 Namespace x, … and 3 more" */

    /* What came of it. */
    size_t deleted, given_up;
    size_t left;              /* objects that were deleted and are still there */
    bool must_look_again;     /* an object has changed since it was listed */
    struct buf deleted_names; /* as above */
    struct buf left_names;    /* each with its finalizers */

    /* private */
    struct map kinds_by_group; /* "group/kind" -> struct prune_kind */
    struct prune_kind *listed; /* the one that is being listed */
};

void prune_run_done(struct prune_run *run);

/* Reads the lists. Suspends. */
MUST_USE struct error *prune_run_look(struct prune_run *run);

/* Deletes, once the lists are read. ERROR_CANCELED if may_go_on() says so. Suspends. */
MUST_USE struct error *prune_run_delete(struct prune_run *run);

/* "v1 ConfigMap default/a, … and 16 more": what would be deleted. */
void prune_run_write_doomed(const struct prune_run *run, struct buf *out);

/* Kinds of the record of which nothing is left there and nothing is wanted; in the arena. */
struct delivery_kinds prune_run_gone_kinds(const struct prune_run *run);

/* Those of them that the cluster does not serve in any version; empty: none. */
struct str prune_run_unserved_kinds(const struct prune_run *run);
