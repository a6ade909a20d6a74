/*
 * What lookups and fetches share about one server. Private to this folder.
 *
 * A lookup searches the surface and, where that is not enough, names a target to be fetched; a
 * fetch replaces the surface and leaves a mark with the time and the error, if there was one. The
 * lookup then starts over, whoever did the fetching.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "async/event.h"
#include "base/error.h"
#include "base/list.h"
#include "base/map.h"
#include "client/discovery/discovery.h"
#include "client/discovery/discovery_table.h"
#include "client/rate_limit.h"

/* The outcome of the last fetch of a target. */
struct discovery_mark {
    int64_t at; /* when it ended; DISCOVERY_NEVER before that */
    struct error *err;
    bool busy;             /* a fiber is fetching */
    uint64_t begun, ended; /* the number of the last one that began, and that had an outcome */
};

#define DISCOVERY_NEVER INT64_MIN

/* One of the two lists a server gives. */
struct discovery_list {
    char *etag; /* NULL: none, or what we have is not what it stands for any more */
    bool aggregated;
};

struct discovery {
    struct client *client;
    struct discovery_pool *pool;
    duration retry_after;
    size_t document_max;
    struct rate_limit rate_limit;

    struct discovery_surface *surface; /* NULL until the lists were read */
    int64_t listed_at;
    struct discovery_list core, groups;

    struct discovery_mark lists;
    struct map marks;     /* of groups and versions, by path */
    struct list running;  /* struct discovery_lookup, in the order of their starts */
    struct event changed; /* a fetch has ended */
};

enum discovery_what {
    DISCOVERY_LISTS, /* /api and /apis */
    DISCOVERY_GROUP,
    DISCOVERY_VERSION,
};

struct discovery_target {
    enum discovery_what what;
    struct str group, version;
};

/* When what is known about the target was true. */
int64_t discovery_as_of(const struct discovery *discovery, const struct discovery_target *target);

/* Why the target could not be fetched when that was last tried, not before "since"; or NULL. */
const struct error *discovery_failure(const struct discovery *discovery,
                                      const struct discovery_target *target, int64_t since);

/*
 * Suspends until the target was fetched, by this fiber or by another; an error of the server is in
 * the mark then. Errors are those of this fiber: it was cancelled or out of time.
 */
MUST_USE struct error *discovery_fetch(struct discovery *discovery,
                                       const struct discovery_target *target);

/* Forgets outcomes that nobody asks for any more. */
void discovery_prune_marks(struct discovery *discovery, int64_t before);

/* Takes the reference. What the etag stood for has changed with it. */
void discovery_amend(struct discovery *discovery, struct str group,
                     struct discovery_surface *surface);

/* For the map of marks. */
void discovery_mark_release(void *ptr);

/* Resets the mark of a version. */
void discovery_unmark(struct discovery *discovery, struct str group, struct str version);
