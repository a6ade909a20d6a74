/*
 * A watcher: keeps a copy of what a watch tells it, across broken streams and restarts of the
 * server, and notices what is told twice, out of order, or not at all.
 *
 * It resumes from the last revision it saw. Told that this one is gone (410), it lists and begins
 * anew; from there on everything has to come, once.
 */
#pragma once

#include "base/map.h"
#include "soak/crash/crash_fixture.h"

struct watcher {
    struct crash_fixture *fixture;
    enum ledger_resource resource;
    bool is_selective; /* all namespaces by a label, instead of one namespace */
    bool is_listed;    /* else it lists before it watches */
    int64_t from, to;  /* has seen everything behind from, up to to */
    struct map copy;   /* name -> revision */

    int64_t *seen; /* revisions of events since from, ascending */
    size_t seen_count, seen_capacity;

    size_t resumed, expired, events; /* for the report */
};

void watcher_done(struct watcher *watcher);

/* A fiber's function, of a struct watcher. Suspends until the server has been killed. */
struct error *watcher_run(void *data);

/* Suspends until it has seen this revision. */
MUST_USE struct error *watcher_wait(struct watcher *watcher, int64_t revision);

/*
 * Nothing is being written: is the copy what a list shows, and was every acknowledged write told?
 * ERROR_INVALID says what is not.
 */
MUST_USE struct error *watcher_check(const struct watcher *watcher, const struct map *listed);
