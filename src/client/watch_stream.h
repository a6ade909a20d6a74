/*
 * A watch without a fiber, for processes that have tens of thousands of them.
 *
 *     stream = watch_stream_new(client, GVR_CONFIG_MAPS, &options);
 *     watch_stream_set_version(stream, version_of_a_list);
 *     TRY(watch_stream_open(stream));
 *
 * A fiber opens the stream, which suspends. After that events are given to a handler on the loop.
 * At rest an open stream holds no buffer. It is not opened again by itself:
 * the handler hears of its end, and who owns it decides when to open it, from the version of the
 * last event, and when to list instead.
 *
 * What a server may make a process hold is limited. A line that is longer than 64 KiB, or that is
 * not complete while the room of all streams is used up, is skipped, and the handler hears that it
 * missed an event. A stream that is still open after its time is over ends with an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/gvk.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "client/client.h"
#include "client/watch.h"

struct watch_stream;

/* Bytes of incomplete lines that many streams hold together. */
struct watch_stream_room {
    size_t limit;
    size_t used;
};

/* Called on the loop. These must not suspend, and must not free or open the stream. */
struct watch_stream_handler {
    /* The event is borrowed, its object included. Bookmarks are not passed on. */
    void (*changed)(void *data, const struct watch_event *event);
    /* There was an event that could not be read. */
    void (*missed)(void *data);
    /* Once for each watch_stream_open(). The error is borrowed; NULL: the server ended the stream
     * as it does after a while. */
    void (*ended)(void *data, const struct error *err);
};

struct watch_stream_options {
    struct str label_selector; /* outlives the stream */
    enum client_form form;
    duration timeout; /* the server ends the stream after this time, or up to twice as long */
    struct watch_stream_room *room;             /* outlives the stream */
    const struct watch_stream_handler *handler; /* outlives the stream */
    void *data;
};

/* Of all namespaces. Nothing is sent yet. The client outlives the stream. */
struct watch_stream *watch_stream_new(struct client *client, struct gvr gvr,
                                      const struct watch_stream_options *options);

/* Ends the stream without calling the handler. No fiber may be in watch_stream_open(). */
void watch_stream_free(struct watch_stream *stream);
DEFINE_OWNED(watch_stream)

/* The version after which events are wanted; a list says it. */
void watch_stream_set_version(struct watch_stream *stream, struct str version);

/* Of a stream that is not open. Suspends until the server has accepted the watch. */
MUST_USE struct error *watch_stream_open(struct watch_stream *stream);
bool watch_stream_is_open(const struct watch_stream *stream);
