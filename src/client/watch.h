/*
 * A watch: what happens to the objects of a resource, an event at a time.
 *
 *     OWNED(watch) watch = NULL;
 *     TRY(watch_open(client, GVR_CONFIG_MAPS, STR(""), &options, &watch));
 *     for (;;) {
 *         struct watch_event event;
 *         TRY(watch_next(watch, &event));
 *         use(event.type, event.object);
 *     }
 *
 * A stream that ends, breaks or falls silent is opened again from the version of the last event, so
 * that nothing is lost and nothing comes twice. What cannot be continued is an error: ERROR_EXPIRED
 * or ERROR_GONE mean that the server has forgotten that version, and the caller lists anew.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "client/client.h"

struct watch;

enum watch_type {
    WATCH_ADDED,
    WATCH_MODIFIED,
    WATCH_DELETED,
    WATCH_BOOKMARK, /* nothing happened, but the version moved on */
    WATCH_ENDED,    /* once: the stream ended and options.once was set */
};

struct watch_event {
    enum watch_type type;
    struct object *object; /* borrowed until the next call; NULL when ended */
    bool initial_end;      /* a bookmark that ends the initial events */
};

struct watch_options {
    struct str label_selector, field_selector;
    struct str resource_version; /* empty or "0": existing objects come first as added */
    bool no_bookmarks;
    bool send_initial_events; /* a streaming list: its end is marked by a bookmark */
    enum client_form form;
    duration timeout; /* the server ends the stream then; 0: drawn from 5 to 10 minutes */
    duration silence; /* beyond the timeout before the stream counts as dead; 0: 10 s */
    bool once;        /* do not open the stream again when it ends; say so at once */
};

/* Suspends until the server has accepted the watch. */
MUST_USE struct error *watch_open(struct client *client, struct gvr gvr, struct str namespace,
                                  const struct watch_options *options, struct watch **ret_watch);
void watch_free(struct watch *watch);
DEFINE_OWNED(watch)

/* Suspends until something happens. After an error the watch is of no further use. */
MUST_USE struct error *watch_next(struct watch *watch, struct watch_event *ret_event);
