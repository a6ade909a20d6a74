/*
 * The changes of one resource, in order, each of them once.
 *
 *     OWNED(store_watch) watch = NULL;
 *     TRY(store_watch_open(store, &filter, revision, &watch));
 *     for (;;) {
 *         SCOPED(store_event) event = {0};
 *         TRY(store_watch_next(watch, &event));
 *         ...
 *     }
 *
 * Events come from the store's history, which all watches share. A watch holds only its position in
 * the history. A watch whose position was dropped from the history gets ERROR_EXPIRED from then on.
 * A change costs one comparison for each watch of its resource and wakes the watches whose filter
 * matches.
 */
#pragma once

#include "apiserver/storage/store.h"

struct store_watch;

enum store_event_type { STORE_ADDED, STORE_MODIFIED, STORE_DELETED };

/* The holder owns the references. */
struct store_event {
    enum store_event_type type;
    int64_t revision;
    struct object_text *text;     /* the object; of a deletion, its last state */
    struct object_text *previous; /* before the change; NULL for STORE_ADDED */
};

void store_event_done(struct store_event *event);

struct store_watch_filter {
    struct str resource;
    struct key key; /* empty parts match everything */
};

/*
 * Changes after this revision; 0 means from now on. A revision in the future is waited for.
 * ERROR_EXPIRED when the history does not reach back that far.
 */
MUST_USE struct error *store_watch_open(struct store *store,
                                        const struct store_watch_filter *filter, int64_t revision,
                                        struct store_watch **ret_watch);
void store_watch_free(struct store_watch *watch);
DEFINE_OWNED(store_watch)

/* Suspends until there is an event. One fiber at a time. */
MUST_USE struct error *store_watch_next(struct store_watch *watch, struct store_event *ret_event);

/*
 * Ends the watches of a resource that is no longer served: they deliver the events there are and
 * then return ERROR_GONE. Watches that are opened later are not affected.
 */
void store_watch_end_all(struct store *store, struct str resource);

/* Everything up to this revision has been delivered: the revision of a bookmark. */
int64_t store_watch_revision(const struct store_watch *watch);
