/*
 * A connection: drives an engine over a transport, without a fiber.
 *
 * When the transport is ready, the loop pumps bytes through the engine. Fibers submit work and wait
 * on their call (call.h). Client and server react to events of the connection through
 * http_conn_events. Everything runs on the loop's thread.
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

/* Zero means the default, FOREVER means no time-out. */
struct http_timeouts {
    duration first; /* server: from accepting a connection to its first request: 30 s */
    duration idle;  /* without a running call: 90 s */
    duration stall; /* the peer reads none of our bytes: 30 s */
    duration ping;  /* HTTP/2: silence before a PING is sent: 30 s */
    duration pong;  /* HTTP/2: wait for the PING's acknowledgement: 15 s */
};

struct http_conn_events {
    /* Server: a request arrived. Client: NULL. */
    void (*request)(struct http_conn *conn, struct http_call *call);

    /* http_conn_capacity() may have grown: a call ended, or the peer changed its limit. */
    void (*capacity)(struct http_conn *conn);

    /* The connection takes no new calls. Called once; calls may still be running. */
    void (*retired)(struct http_conn *conn);

    /* The connection has ended and frees itself when this returns. */
    void (*gone)(struct http_conn *conn);
};

struct http_conn {
    struct list_link link; /* the owner's */
    bool in_use;           /* the owner's */
    bool is_surplus;       /* the server's, see http_request_is_surplus() */
    bool is_known;         /* the server's, see http_request_vouch() */
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

    struct buf out; /* output of the engine that the transport has not taken yet */
    struct task pump;
    struct timer timer;
    struct http_timeouts timeouts;
    int64_t idle_since, heard, blocked_since, pinged; /* times of the loop; 0: does not apply */
    bool retired, lost, lingers;

    /* Client: asked right before output is sent while guarded calls run; see http_conn_guard(). */
    bool (*may_send)(void *data);
    void *may_send_data;
    size_t guarded_count;

    const void *party; /* server: of the last request, see http_request_set_party() */
    bool has_party, has_parties;
    struct cpu_share *share; /* server: whose turns new requests take, or NULL */
    bool has_shares;         /* requests of several shares were seen */
};

struct http_conn_options {
    enum http_role role;
    struct http_limits limits;
    struct http_timeouts timeouts;
    const struct http_conn_events *events;
    void *owner;
};

/*
 * Takes the transport. The protocol is the one that TLS negotiated, or HTTP/1.1. The connection
 * lives until the peer, a time-out or http_conn_close() ends it, and then calls the gone event.
 */
struct http_conn *http_conn_new(struct loop *loop, struct transport *transport,
                                const struct http_conn_options *options);

/* Client: the number of further calls that the connection takes now. */
size_t http_conn_capacity(const struct http_conn *conn);

/* Sends the engine's output at the next turn of the loop. */
void http_conn_kick(struct http_conn *conn);

/* Takes no more calls and closes when the running ones have ended. */
void http_conn_retire(struct http_conn *conn);

/* Closes the connection now. Running calls fail with a copy of the error. Takes the error. */
void http_conn_close(struct http_conn *conn, struct error *err);

/* Ends the connection as a network failure does: nothing more is sent. Takes the error. */
void http_conn_break(struct http_conn *conn, struct error *err);

/*
 * Client: until the call has ended, may_send is asked again right before anything is sent on the
 * connection, because what a call hands over leaves only at the next turn of the loop. False breaks
 * the connection with ERROR_CONNECTION. All guarded calls of a connection have the same question.
 */
void http_conn_guard(struct http_conn *conn, struct http_call *call, bool (*may_send)(void *data),
                     void *data);

/* For call.c. Removing the last call of a lost connection ends the connection. */
void http_conn_add_call(struct http_conn *conn, struct http_call *call);
void http_conn_remove_call(struct http_conn *conn, struct http_call *call);
