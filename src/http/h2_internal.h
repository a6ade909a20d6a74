/* The state of an HTTP/2 connection, shared by h2.c and h2_events.c. */
#pragma once

#include <nghttp2/nghttp2.h>

#include "http/engine_internal.h"
#include "http/h2_memory.h"

/*
 * Frames that cost us work and carry nothing (pings, settings, empty data) are paid for from a
 * budget. Data and heads refill it, and so does every call of receive: pings that come one by one
 * are a keep-alive, thousands in one read are a flood. There is no clock here to tell otherwise.
 */
#define H2_CONTROL_BUDGET   ((size_t)10000)
#define H2_CONTROL_PER_READ ((size_t)16)

/*
 * Streams that end before they are answered, whoever ends them, are paid for from another, which
 * answered streams refill: opening and resetting is how a server is kept busy for free.
 */
#define H2_RESET_BUDGET ((size_t)1000)

/* The payloads of our pings. */
#define H2_PING_ALIVE    "corset-1"
#define H2_PING_SHUTDOWN "corset-2"

struct h2 {
    struct http_engine engine;
    nghttp2_session *session;
    struct h2_memory memory; /* a client's session's */
    struct error *err;       /* of the connection, set inside nghttp2's callbacks */
    char *reason;            /* what nghttp2 said last about the peer */
    size_t control_budget, reset_budget;
    bool settings_received;
    bool closing; /* we, or the peer, want no more streams */
};

struct h2_stream {
    struct http_exchange exchange;
    struct http_head head; /* while it is read */
    size_t pseudo_size, trailer_size;
    struct error *err; /* why it will be closed */
    bool is_head, is_connect, expects_continue;
    bool head_done;
    bool end_sent;
};

static inline struct h2 *h2_of(const struct http_engine *engine)
{
    return CONTAINER_OF(engine, struct h2, engine);
}

static inline struct h2_stream *h2_stream_of(const struct http_exchange *exchange)
{
    return CONTAINER_OF(exchange, struct h2_stream, exchange);
}

struct h2_stream *h2_stream_new(struct h2 *h2);
void h2_stream_free(struct h2_stream *stream);

/* Ends the connection with a GOAWAY that says "enhance your calm". */
void h2_enhance_your_calm(struct h2 *h2, const char *message);

/* h2_events.c */
nghttp2_session_callbacks *h2_callbacks_new(void);
