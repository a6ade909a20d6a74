/*
 * The storage of one API: its objects as text, one revision counter, and a file or none.
 *
 * An object is identified by a resource ("configmaps", "deployments.apps"; the store does not
 * interpret it) and a key. The key is also the key in the object's own metadata. Neither contains a
 * NUL. Every change takes the next revision. Revisions start above 0 and are never reused, not even
 * those of writes that failed.
 *
 * Reads, scans and watches see durable state only: a crash never takes back what a client saw. A
 * write is decided at once, on the loop's thread, against the newest accepted state of its object,
 * durable or not. Writes are committed in that order, many of them with one sync. A write returns
 * when it is durable and visible. A decision that is based on a state that is not durable yet waits
 * for that state, and is made again if that state fails to become durable.
 *
 * A commit that fails fails every write in it and every write queued behind it. None of them
 * becomes visible, reads continue, and the next write tries again. Of a full disk see
 * store_trouble().
 *
 * Revisions never go back. A store that lost writes, and was opened all the same, goes on above all
 * that it ever gave.
 *
 * Without a path nothing is written to disk; everything else is the same. Stores share nothing. An
 * empty store in memory takes less than 1 KiB. All calls are made on the loop's thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "apimachinery/object_text.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct loop;
struct metrics;
struct store;
struct store_budget;

/* The format of the file. A file of an earlier format is brought up to date when it is opened. */
#define STORE_FORMAT 2

struct store_options {
    const char *path; /* the file; NULL keeps everything in memory */

    /*
     * An event is dropped from the history when it is older than history_age and at least
     * history_events newer ones exist, or, regardless of its age, when the history holds more than
     * history_bytes. Watches can begin wherever the history reaches back to. States of the past can
     * be listed from there, too, but for at most two intervals of compaction.
     */
    duration history_age;  /* 0 means 5 min */
    size_t history_events; /* 0 means 1000 */
    size_t history_bytes;  /* 0 means 64 MiB */
    duration compaction;   /* see store_compaction.h; 0 means 5 min */

    /*
     * A file that has lost acknowledged writes is refused, unless the loss is accepted. Beside the
     * file is its mark (see store_mark.h), which tells; was_used tells, when there is neither, that
     * there were both.
     */
    bool was_used, accept_loss;

    /*
     * Limits what the objects take in memory. A write by which one grows beyond it is refused as
     * etcd refuses beyond its quota (ERROR_UNKNOWN with status 500); deletes are accepted, and what
     * belongs to them.
     */
    int64_t limit;               /* of this store; 0: none */
    struct store_budget *budget; /* that it shares with others; NULL: none */
};

struct store_id {
    struct str resource;
    struct key key;
};

#define STORE_ID(resource_, namespace_, name_) \
    ((struct store_id){STR(resource_), KEY(namespace_, name_)})

/* An object and its revision. The holder owns the reference. Zero means no object. */
struct store_object {
    struct object_text *text;
    int64_t revision;
};

void store_object_done(struct store_object *object);

/* A store in memory. The limits of the options apply, the path must be NULL. Cannot fail. */
struct store *store_new(struct loop *loop, const struct store_options *options);

/*
 * Opens or creates the file, checks it and loads it. Suspends; the work is done on a worker thread.
 * ERROR_IO when the file cannot be used: the message names the file and says what to do. A refused
 * file is left as it is.
 */
MUST_USE struct error *store_open(struct loop *loop, const struct store_options *options,
                                  struct store **ret_store);

/*
 * No fiber may wait in the store and no watch may be open. Suspends, uninterrupted, until writes
 * whose callers were cancelled are durable and the file is closed. Does not suspend without a file.
 */
void store_free(struct store *store);
DEFINE_OWNED(store)

/* What was lost and accepted when the store was opened, in words; NULL when nothing was. */
const char *store_accepted_loss(const struct store *store);

/*
 * What is wrong with the file, in words for clients; NULL when nothing is. A commit that fails is
 * trouble until the file can be written again, which is tried every second.
 *
 * The disk is full when a write would touch the reserve that the store keeps beside its file, or
 * when a commit fails for lack of space. From then on only deletes are accepted, and changes of
 * objects that are being deleted: they use the reserve.
 */
const char *store_trouble(const struct store *store);

/* Called on the loop when trouble begins, changes or ends. */
typedef void store_trouble_fn(void *data);
void store_on_trouble(struct store *store, store_trouble_fn *fn, void *data);

/*
 * Shows the corset_store_* metrics of this store; for one store of a registry. They must not be
 * shown after the store is freed.
 */
void store_add_metrics(struct store *store, struct metrics *metrics);

/* The newest durable revision. That of a store that was never written to is the first one. */
#define STORE_FIRST_REVISION 1 /* 0 means "any" to clients */
int64_t store_revision(const struct store *store);

/* Suspends until this revision is durable. */
MUST_USE struct error *store_wait_revision(struct store *store, int64_t revision);

/* ERROR_NOT_FOUND when there is none. */
MUST_USE struct error *store_get(struct store *store, struct store_id id,
                                 struct store_object *ret_object);

enum store_action { STORE_KEEP, STORE_PUT, STORE_DELETE };

/* Input of a store_edit_fn, and below it the answer. A zeroed answer is STORE_KEEP. */
struct store_edit {
    const struct object_text *previous; /* NULL when there is no object */
    int64_t previous_revision;          /* 0 when there is no object */
    int64_t revision;                   /* of the change; the text contains it */

    enum store_action action;
    struct object_text
        *text; /* owned by the store: the new object, or the last state of a deleted one */
};

/*
 * Decides on one object. Called at least once, and again if the state it was given did not become
 * durable. It must not suspend and must not call the store. The texts it makes have the key they
 * are stored under.
 */
typedef struct error *store_edit_fn(void *data, struct store_edit *edit);

enum { STORE_NEW = 0, STORE_ANY = -1 };

/*
 * Changes, creates, deletes or keeps an object, as the edit says, provided its revision is the
 * expected one. STORE_NEW: there must be none, else ERROR_ALREADY_EXISTS. STORE_ANY: whatever there
 * is. A revision: ERROR_NOT_FOUND without an object, ERROR_CONFLICT when it has another one.
 *
 * Suspends until the change is durable. Interrupted, the caller does not know: the change may
 * still happen, whole. ERROR_IO: it was not made (of a sync that fails see decision 0009).
 * ret_object (may be NULL) is what was written, with the revision of the change, or what was kept;
 * empty when nothing was there to keep.
 */
MUST_USE struct error *store_change(struct store *store, struct store_id id, int64_t expected,
                                    store_edit_fn *edit, void *data,
                                    struct store_object *ret_object);

/*
 * Watches of a resource that is served from now on begin with the newest revision. Does nothing
 * when the resource is known, or nothing was written since the store was opened.
 */
void store_begin_resource(struct store *store, struct str resource);

/* Which objects to visit. They are visited in the order of the bytes of "namespace/name". */
struct store_range {
    struct str resource;
    struct str namespace; /* empty: all namespaces and cluster-wide objects */
    struct key after;     /* only objects behind this key; zero: all */
    size_t limit;         /* 0: no limit */
    int64_t revision;     /* 0: the newest durable one */
    bool count_remaining; /* costs a walk to the end */
};

struct store_page {
    int64_t revision; /* of the state that was visited */
    bool has_more;    /* the limit or the visitor ended the visit early */
    size_t remaining; /* objects behind the last visited one, with count_remaining */
};

/*
 * The text is borrowed for the call. The visitor must not suspend and must not change the store.
 * False ends the visit.
 */
typedef bool store_visit_fn(void *data, struct key key, struct object_text *text);

/*
 * Visits the objects as they were at one revision. ERROR_EXPIRED when the history does not reach
 * back to it or it was compacted, ERROR_TIMEOUT when the revision is in the future. Without a
 * revision it cannot fail.
 */
MUST_USE struct error *store_scan(struct store *store, const struct store_range *range,
                                  store_visit_fn *visit, void *data, struct store_page *ret_page);
