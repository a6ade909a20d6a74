/*
 * One exchange of a request and a response, for fibers: reading suspends until the peer has sent
 * bytes, writing suspends until the queue has room. http_response (client) and http_request
 * (server) are built on it.
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
struct task;

struct http_call {
    struct http_stream stream;
    struct http_conn *conn; /* NULL once the connection is gone */
    struct list_link link;

    struct http_head head; /* the peer's */
    struct buf incoming;   /* received body bytes that http_call_peek() has not shown yet */
    struct buf shown;  /* bytes that http_call_peek() showed; they do not move while more arrive */
    size_t shown_read; /* bytes of shown that were consumed */
    bool has_head, has_end, closed;
    struct error *err; /* why the exchange failed; NULL when it is complete */
    struct event changed;
    struct task *arrived;  /* client: posted with each wake-up; NULL: fibers alone wait */
    bool is_guarded;       /* client: see http_conn_guard() */
    struct fiber *handler; /* server: cancelled when the client goes away */
    const void *party;     /* server: see http_request_set_party() */
};

/* For engines: delivers the events of a stream to its call. */
extern const struct http_events http_call_events;

struct http_call *http_call_new(struct http_conn *conn);

/* Cancels an exchange that is not complete. Does not wait for the peer. */
void http_call_free(struct http_call *call);
DEFINE_OWNED(http_call)

/* Suspends until the peer's head is there. */
MUST_USE struct error *http_call_wait_head(struct http_call *call);

/* Suspends until body bytes have arrived; *ret_len is 0 at the end of the body. */
MUST_USE struct error *http_call_read(struct http_call *call, char *ptr, size_t capacity,
                                      size_t *ret_len);

/*
 * Suspends like http_call_read(), but returns a view of the received bytes, valid until the next
 * call of this function. Empty at the end of the body.
 */
MUST_USE struct error *http_call_peek(struct http_call *call, struct str *ret_bytes);

/* The same without suspending; also empty when nothing has arrived yet. */
MUST_USE struct error *http_call_peek_arrived(struct http_call *call, struct str *ret_bytes);

/* Consumes len of the bytes shown, which reopens the flow-control window. */
void http_call_consume(struct http_call *call, size_t len);

/* Suspends until all bytes are queued. The queue is bounded, which is the backpressure. */
MUST_USE struct error *http_call_write(struct http_call *call, struct str bytes);

/* Completes our message. Does not suspend. */
MUST_USE struct error *http_call_end(struct http_call *call);
