/*
 * The data structures that the files of the store share. Tests read the counters of struct store.
 */
#pragma once

#include "apiserver/storage/store.h"
#include "apiserver/storage/store_budget.h"
#include "apiserver/storage/store_compaction.h"
#include "apiserver/storage/store_history.h"
#include "async/event.h"
#include "async/loop.h"
#include "async/timer.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/tree.h"

struct fiber;
struct metrics_series;
struct store_file;

/* A durable object. The row is its position in the file: the revision at which it was created. */
struct store_record {
    struct object_text *text;
    int64_t revision, row;
    int64_t sum; /* its checksum in the file; 0 in memory */
};

struct store_resource {
    struct tree records; /* struct store_record by store_key() */
    struct store_events events;
    struct list watches;
    struct list holds; /* struct store_hold that are not over */
    char name[];
};

/*
 * A write between its acceptance and its commit. References are held by the queue the write stands
 * in, by its writer, and by writers of the same object that wait for its outcome.
 */
struct store_write {
    struct list_link link;
    int refs;
    enum { WRITE_PENDING, WRITE_DURABLE, WRITE_FAILED } state;
    struct error *err;
    struct event settled;

    struct store_resource *resource;
    bool is_delete;
    int64_t need;   /* what it takes on the disk, for now */
    int64_t growth; /* what it takes of the budget until it is durable */
    int64_t revision, row;
    bool has_former;          /* the object existed before */
    int64_t sum, former_sum;  /* checksums in the file, of this state and of the one before */
    struct object_text *text; /* outlives the commit, which reads it on another thread */
};

/* Work on the file that is no commit; see store_run_between(). */
struct store_guest {
    void (*work)(void *data);
    void *data;
    struct fiber *fiber;
    bool is_done;
};

struct store {
    struct loop *loop;
    int64_t revision; /* durable */
    int64_t accepted; /* the last one given to a write; never less than durable */
    int64_t floor;    /* the history begins here */
    struct map resources;
    struct store_history history;
    struct store_compaction *compaction; /* NULL: nothing was written yet */
    struct event advanced;

    struct map pending; /* the newest struct store_write of an object, by full key */
    struct list queue;  /* accepted, in order */
    struct list group;  /* being committed, in order; before everything in the queue */
    struct task kick;
    struct loop_job job;
    struct error *job_err;
    struct store_file *file; /* NULL in memory */
    char *accepted_loss;     /* see store_accepted_loss() */
    struct fiber *closer;
    bool closed;        /* the file */
    bool is_tending;    /* a checkpoint or an attempt to recover is under way: commits wait */
    bool is_full;       /* only writes that make room are accepted */
    bool has_recovered; /* by the attempt that has just ended */
    bool is_marking, mark_is_stale;

    struct store_guest *guest; /* waits for the file, or uses it; NULL: none */

    struct timer idle; /* until the log is checkpointed */

    int64_t room;        /* see store_file_room(); INT64_MAX in memory */
    int64_t queued_need; /* what the queue and the group take of it */
    int64_t group_need;
    struct error *trouble; /* why the file cannot be written, or NULL */
    struct timer recovery;
    store_trouble_fn *on_trouble;
    void *on_trouble_data;

    struct timer mark_timer;
    struct loop_job mark_job; /* syncs the mark */

    struct store_budget budget;

    uint64_t writes, commits, failed_commits; /* since the store was opened */
    size_t objects, watches;
    struct metrics_series *commit_seconds; /* NULL: not measured */
    int64_t commit_begun;                  /* the loop's time */
};

/* The store without its file. */
struct store *store_make(const struct store_options *options);
void store_release(struct store *store);

/*
 * "namespace/name". These are the ends of etcd's keys, so that records have the order of
 * kube-apiserver's lists: "o9-a/x" is before "o9/x", because '-' is before '/'. Namespaces contain
 * no '/', so that no two objects have the same key.
 */
void store_key(struct buf *out, struct key key);

/* Called before each change of the revision; see store_compaction.h. */
void store_compact(struct store *store);

struct store_resource *store_find_resource(const struct store *store, struct str name);
struct store_resource *store_ensure_resource(struct store *store, struct str name);

/* What an object takes of the budget: its text, and about what the store needs beside it. */
int64_t store_cost(const struct object_text *text); /* NULL: 0 */

/* Makes a record, taking the text. False when the key is taken already. */
bool store_load(struct store *store, struct str resource, struct store_record record);

/* ERROR_EXPIRED when changes of this resource after the revision are no longer all known. */
MUST_USE struct error *store_check_history(const struct store *store,
                                           const struct store_resource *resource, int64_t revision);

struct store_write *store_write_ref(struct store_write *write);
void store_write_free(struct store_write *write); /* gives one reference back */
DEFINE_OWNED(store_write)

/* The newest write of an object that is not durable yet, or NULL. */
struct store_write *store_find_pending(const struct store *store, struct store_id id);

/*
 * Queues a write and takes a reference of its own. Its group is committed in a later turn of the
 * loop.
 */
void store_accept(struct store *store, struct store_write *write);

/*
 * Runs work(data) on a worker thread while no commit uses the file, before the next commit. For one
 * fiber at a time. Suspends, uninterrupted, for a commit and the work, which must be short.
 */
void store_run_between(struct store *store, void (*work)(void *data), void *data);

/* Commits what is queued: at once without a file, otherwise it Suspends uninterrupted. */
void store_flush(struct store *store);

/* Trouble with the file begins, or goes on with another error, which is taken. */
void store_begin_trouble(struct store *store, struct error *err);

/* Trouble of a disk that has no room for the next write. The file is told by the next commit. */
void store_declare_full(struct store *store);

/* The error of a full disk, for clients. */
MUST_USE struct error *store_full_error(void);

/* A change of this resource was dropped: holds of older revisions are over. */
void store_hold_dropped(struct store_history *history, struct store_resource *resource);

/* Begins to release what holds that are over keep, in later turns of the loop. */
void store_hold_release(struct store *store);

/* No hold is left. */
void store_hold_forget(struct store_history *history);

struct store_entry;
/* Wakes the watches that match an event. The event must be in the history already. */
void store_watch_notify(struct store_resource *resource, const struct store_entry *entry);
