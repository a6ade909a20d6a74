/* The state of an HTTP/2 connection, shared by h2.c and h2_events.c. */
#pragma once

#include <nghttp2/nghttp2.h>

#include "http/engine_internal.h"
#include "http/h2_memory.h"

/*
 * Frames that cost work and carry no payload (PING, SETTINGS, empty DATA) are charged to a budget.
 * DATA and HEADERS refill the budget, and so does every call of receive: single pings are a
 * keep-alive, thousands in one read are a flood. The engine has no clock to measure a rate.
 */
#define H2_CONTROL_BUDGET   ((size_t)10000)
#define H2_CONTROL_PER_READ ((size_t)16)

/*
 * Streams that end before they are answered are charged to a second budget, which answered streams
 * refill. It limits clients that open and reset streams in quick succession (rapid reset).
 */
#define H2_RESET_BUDGET ((size_t)1000)

/* The payloads of our pings. */
#define H2_PING_ALIVE    "corset-1"
#define H2_PING_SHUTDOWN "corset-2"

struct h2 {
    struct http_engine engine;
    nghttp2_session *session;
    struct h2_memory memory; /* frame buffer of a client's session */
    struct error *err;       /* of the connection, set inside nghttp2's callbacks */
    char *reason;            /* what nghttp2 said last about the peer */
    size_t control_budget, reset_budget;
    bool settings_received;
    bool closing; /* one side takes no more streams */
};

struct h2_stream {
    struct http_exchange exchange;
    struct http_head head; /* while it is read */
    size_t pseudo_size, trailer_size;
    struct error *err; /* why the stream is about to be closed */
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
