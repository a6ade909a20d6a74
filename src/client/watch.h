/*
 * A watch: the changes of the objects of a resource, one event at a time.
 *
 *     OWNED(watch) watch = NULL;
 *     TRY(watch_open(client, GVR_CONFIG_MAPS, STR(""), &options, &watch));
 *     for (;;) {
 *         struct watch_event event;
 *         TRY(watch_next(watch, &event));
 *         use(event.type, event.object);
 *     }
 *
 * A stream that ends, breaks or is silent for too long is opened again from the resourceVersion of
 * the last event, so that no event is lost or repeated. A watch that cannot be continued is an
 * error. ERROR_EXPIRED and ERROR_GONE mean that the server no longer has that version: the caller
 * must list again.
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
    WATCH_BOOKMARK, /* no object changed; carries a newer resourceVersion */
    WATCH_ENDED,    /* the stream ended and options.once is set */
};

struct watch_event {
    enum watch_type type;
    struct object *object; /* borrowed until the next call; NULL for WATCH_ENDED */
    bool initial_end;      /* the bookmark that ends the initial events */
};

struct watch_options {
    struct str label_selector, field_selector;
    struct str resource_version; /* empty or "0": existing objects come first, as ADDED */
    bool no_bookmarks;
    bool send_initial_events; /* a streaming list, ended by a bookmark */
    enum client_form form;
    duration timeout; /* after which the server ends the stream; 0: random, 5 to 10 minutes */
    duration silence; /* how long after the timeout the stream counts as dead; 0: 10 s */
    bool once;        /* return WATCH_ENDED instead of opening the stream again */
};

/* Suspends until the server has accepted the watch. */
MUST_USE struct error *watch_open(struct client *client, struct gvr gvr, struct str namespace,
                                  const struct watch_options *options, struct watch **ret_watch);
void watch_free(struct watch *watch);
DEFINE_OWNED(watch)

/* Suspends until the next event. After an error only watch_free() may be called. */
MUST_USE struct error *watch_next(struct watch *watch, struct watch_event *ret_event);
