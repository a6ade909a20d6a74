/*
 * The state that lookups and fetches share for one server. Private to this folder.
 *
 * A lookup searches the surface. If the surface does not settle the question, the lookup names a
 * target to be fetched. A fetch replaces the surface and leaves a mark with the time of the fetch
 * and its error, if any. Then the lookup starts over, whichever fiber fetched.
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
    bool busy; /* a fiber is fetching */
};

#define DISCOVERY_NEVER INT64_MIN

struct discovery {
    struct client *client;
    struct discovery_pool *pool;
    duration retry_after;
    size_t document_max;
    struct rate_limit rate_limit;

    struct discovery_surface *surface; /* NULL until the lists were read */
    int64_t listed_at;                 /* when the lists were read */
    bool is_aggregated;                /* the lists had everything */

    struct discovery_mark lists;
    struct map marks;     /* path of a group or version -> struct discovery_mark */
    struct list running;  /* struct discovery_lookup, the oldest first */
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

/* The time of the newest answer about the target; DISCOVERY_NEVER if there is none. */
int64_t discovery_as_of(const struct discovery *discovery, const struct discovery_target *target);

/* The error of the last fetch of the target, if that fetch ended at "since" or later; or NULL. */
const struct error *discovery_failure(const struct discovery *discovery,
                                      const struct discovery_target *target, int64_t since);

/*
 * Suspends until the target was fetched, by this fiber or by another. An error of the server is
 * stored in the mark. A returned error concerns this fiber: it was cancelled or out of time.
 */
MUST_USE struct error *discovery_fetch(struct discovery *discovery,
                                       const struct discovery_target *target);

/* Removes marks of fetches that ended before this time. */
void discovery_prune_marks(struct discovery *discovery, int64_t before);

/* Takes the reference to the new surface and gives the old one back. */
void discovery_set_surface(struct discovery *discovery, struct discovery_surface *surface);

/* The release function of discovery.marks. */
void discovery_mark_release(void *ptr);

/* Resets the mark of a group/version, as if it had never been fetched. */
void discovery_unmark(struct discovery *discovery, struct str group, struct str version);
