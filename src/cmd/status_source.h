/*
 * Where the model of what is applied comes from: lists, once, or caches that are kept current.
 */
#pragma once

#include <stdbool.h>

#include "async/event.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/status_model.h"

struct cache;
struct cache_set;
struct client;

/* Lists everything in a namespace (empty: in all of them) and finishes the model. Suspends. */
MUST_USE struct error *status_source_list(struct client *client, struct str namespace,
                                          struct status_model *model);

#define STATUS_SOURCES 4

/* The same, watched. */
struct status_watch {
    struct cache_set *caches;
    struct cache *sources[STATUS_SOURCES];
    struct cache_handler *handlers;
    struct event changed;
    bool is_changed;
};

/* Suspends until everything is known. */
MUST_USE struct error *status_watch_open(struct status_watch *watch, struct client *client,
                                         struct str namespace);
void status_watch_done(struct status_watch *watch); /* suspends */

/* The model as of now, finished. */
void status_watch_read(struct status_watch *watch, struct status_model *model);

/* Why what is known may be old; empty: it is not. */
struct str status_watch_problem(const struct status_watch *watch);

/* Suspends until something changes, or so long. */
MUST_USE struct error *status_watch_wait(struct status_watch *watch, duration most);
