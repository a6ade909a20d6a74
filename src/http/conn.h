/*
 * A connection: an engine driven over a transport, without a fiber of its own.
 *
 * Readiness of the transport pumps bytes through the engine on the loop; fibers submit work and
 * wait on their call (call.h). Client and server differ only in what they do when something
 * happens, which they are told through http_conn_events. All of it runs on the loop's thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "async/loop.h"
#include "async/timer.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/list.h"
#include "http/engine.h"

struct http_call;
struct http_conn;
struct transport;

/* Zero means the default. FOREVER switches one off. */
struct http_timeouts {
    duration first; /* until the first request of a connection to a server: 30 s */
    duration idle;  /* without a call: 90 s */
    duration stall; /* the peer reads nothing of what we have for it: 30 s */
    duration ping;  /* silence before HTTP/2 asks for a sign of life: 30 s */
    duration pong;  /* wait for that sign: 15 s */
};

struct http_conn_events {
    /* Server: a request arrived. Client: NULL. */
    void (*request)(struct http_conn *conn, struct http_call *call);

    /* A call ended, or the peer changed how many it takes: others may go ahead. */
    void (*capacity)(struct http_conn *conn);

    /* The connection takes no new calls. Called once, before the last call is gone or after. */
    void (*retired)(struct http_conn *conn);

    /* Everything is over; the connection frees itself when this returns. */
    void (*gone)(struct http_conn *conn);
};

struct http_conn {
    struct list_link link; /* the owner's */
    bool in_use;           /* the owner's */
    void *owner;
    const struct http_conn_events *events;
    enum http_role role;
    bool http2;

    struct loop *loop;
    struct transport *transport;
    struct http_engine *engine;
    struct list calls;
    size_t call_count, calls_max; /* a server refuses more */
    uint64_t calls_begun;

    struct buf out; /* taken from the engine, not yet by the transport */
    struct task pump;
    struct timer timer;
    struct http_timeouts timeouts;
    int64_t idle_since, heard, blocked_since, pinged; /* 0: not so */
    bool retired, lost, lingers;

    const void *party; /* server: of whom the first request was, see http_request_set_party() */
    bool has_party, has_parties;
};

struct http_conn_options {
    enum http_role role;
    struct http_limits limits;
    struct http_timeouts timeouts;
    const struct http_conn_events *events;
    void *owner;
};

/*
 * Takes the transport. The protocol is what TLS agreed on; HTTP/1.1 otherwise. The connection lives
 * until the peer, a time-out or http_conn_close() ends it, and tells its owner with gone.
 */
struct http_conn *http_conn_new(struct loop *loop, struct transport *transport,
                                const struct http_conn_options *options);

/* Client: how many more calls it takes now. */
size_t http_conn_capacity(const struct http_conn *conn);

/* Something was given to the engine: sends it at the loop's next turn. */
void http_conn_kick(struct http_conn *conn);

/* Lets the calls that run end, takes no more, then closes. */
void http_conn_retire(struct http_conn *conn);

/* Ends it now; calls that run fail with a copy of the error. Takes the error. */
void http_conn_close(struct http_conn *conn, struct error *err);

/* Ends it now as a fault of the network does: what was not sent stays unsent. Takes the error. */
void http_conn_break(struct http_conn *conn, struct error *err);

/* call.c: registers and removes a call. Removing the last one of a lost connection ends it. */
void http_conn_add_call(struct http_conn *conn, struct http_call *call);
void http_conn_remove_call(struct http_conn *conn, struct http_call *call);
