/* The source of the model of corset status: lists, or caches that are kept current by watches. */
#pragma once

#include <stdbool.h>

#include "async/event.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"
#include "status/status_model.h"

struct cache;
struct cache_set;
struct client;

/* Lists all objects of a namespace (empty: of all namespaces) and finishes the model. Suspends. */
MUST_USE struct error *status_source_list(struct client *client, struct str namespace,
                                          struct status_model *model);

#define STATUS_SOURCES 4

/* The caches for corset status --watch. */
struct status_watch {
    struct cache_set *caches;
    struct cache *sources[STATUS_SOURCES];
    struct cache_handler *handlers;
    struct event changed;
    bool is_changed;
};

/* Suspends until all caches are synced. */
MUST_USE struct error *status_watch_open(struct status_watch *watch, struct client *client,
                                         struct str namespace);
void status_watch_done(struct status_watch *watch); /* suspends */

/* The model as of now, finished. */
void status_watch_read(struct status_watch *watch, struct status_model *model);

/* The reason why the caches may be behind; empty if they are current. */
struct str status_watch_problem(const struct status_watch *watch);

/* Suspends until something changes, at most for this time. */
MUST_USE struct error *status_watch_wait(struct status_watch *watch, duration most);
