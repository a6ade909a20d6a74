/*
 * One exchange of a request and a response as a fiber sees it: what was received can be read, what
 * is to be sent can be written, and both wait as long as they must. The client's responses and the
 * server's requests are built on it.
 */
#pragma once

#include <stdbool.h>

#include "async/event.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"
#include "base/owned.h"
#include "http/engine.h"
#include "http/head.h"

struct fiber;
struct http_conn;

struct http_call {
    struct http_stream stream;
    struct http_conn *conn; /* NULL once the connection is gone */
    struct list_link link;

    struct http_head head; /* the peer's */
    struct buf incoming;   /* the peer's body as far as it came and was not shown */
    struct buf shown;      /* what is being read; it stays where it is while more comes */
    size_t shown_read;     /* of which so much has been read */
    bool has_head, has_end, closed;
    struct error *err; /* why it was closed; NULL: it is complete */
    struct event changed;
    struct fiber *handler; /* server: cancelled when the client goes away */
    const void *party;     /* server: whom the request is for */
};

/* For engines: the events that concern a stream are those of its call. */
extern const struct http_events http_call_events;

struct http_call *http_call_new(struct http_conn *conn);

/* Gives up what is not complete: the peer is told, its answer is not waited for. */
void http_call_free(struct http_call *call);
DEFINE_OWNED(http_call)

/* Suspends until the peer's head is there. */
MUST_USE struct error *http_call_wait_head(struct http_call *call);

/* Suspends until there is something to read; *ret_len is 0 at the end of the body. */
MUST_USE struct error *http_call_read(struct http_call *call, char *ptr, size_t capacity,
                                      size_t *ret_len);

/*
 * Suspends like http_call_read(), but shows the bytes where they are: valid until the next call of
 * this function. Empty at the end.
 */
MUST_USE struct error *http_call_peek(struct http_call *call, struct str *ret_bytes);

/* Says that len of the bytes shown are done with. */
void http_call_consume(struct http_call *call, size_t len);

/* Suspends until all of it is queued; the queue is bounded, so this is the backpressure. */
MUST_USE struct error *http_call_write(struct http_call *call, struct str bytes);

/* Our message is complete. Does not wait. */
MUST_USE struct error *http_call_end(struct http_call *call);
