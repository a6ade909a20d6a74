/*
 * The interface that h1.c and h2.c implement, and the state they share; see engine.h.
 *
 * The engine's half of a stream is a struct http_exchange. It holds the queue of bytes to be sent
 * and outlives the caller's struct http_stream, so that a handler can release its stream while the
 * last bytes still wait for the peer.
 */
#pragma once

#include "http/engine.h"

/* Maximum size of one DATA frame or chunk. */
#define HTTP_PIECE_MAX (16 * KILOBYTE)

/* Maximum size of a head that we send. nghttp2 refuses 64 KiB, and few peers accept as much. */
#define HTTP_SENT_HEAD_MAX (60 * KILOBYTE)

struct http_engine_ops {
    const char *name; /* "HTTP/2" */
    void (*free)(struct http_engine *engine);
    struct error *(*receive)(struct http_engine *engine, struct str bytes);
    struct error *(*receive_end)(struct http_engine *engine);
    bool (*wants_input)(const struct http_engine *engine);
    struct error *(*output)(struct http_engine *engine, struct buf *out, size_t limit);
    bool (*has_output)(const struct http_engine *engine);
    void (*shutdown)(struct http_engine *engine);
    bool (*is_finished)(const struct http_engine *engine);
    bool (*ping)(struct http_engine *engine);
    size_t (*capacity)(const struct http_engine *engine);
    /* The caller joins *ret_exchange with the stream. */
    struct error *(*open)(struct http_engine *engine, const struct http_head *head, bool end,
                          struct http_exchange **ret_exchange);
    struct error *(*respond)(struct http_exchange *exchange, const struct http_head *head,
                             bool end);
    void (*want_body)(struct http_exchange *exchange);
    /* Bytes were queued, or the end was. */
    void (*queued)(struct http_exchange *exchange);
    /* The reader gave back len bytes. */
    void (*consumed)(struct http_exchange *exchange, size_t len);
    void (*reset)(struct http_exchange *exchange, enum http_reset reason);
};

struct http_engine {
    const struct http_engine_ops *ops;
    const struct http_events *events;
    void *user;
    enum http_role role;
    struct http_limits limits; /* defaults filled in */
    struct list exchanges;
    size_t exchange_count; /* released ones that are still being flushed included */
    char first[8];         /* the first bytes of the peer, to recognise other protocols */
    uint8_t first_len;
    bool in_event;
    bool failed; /* closed its streams with an error; may have output left */
    bool lost;   /* the transport is gone: no output either */
    bool goaway_told;
};

struct http_exchange {
    struct list_link link;
    struct http_engine *engine;
    struct http_stream *stream; /* NULL once released */
    int32_t id;
    struct buf queue; /* bytes from queue_start on wait to be sent */
    size_t queue_start;
    int64_t send_left;             /* remaining bytes of Content-Length; -1 without one */
    struct http_headers *trailers; /* that follow our body; NULL: none */
    size_t unconsumed;             /* received bytes that the reader has not consumed */
    bool head_sent;                /* our head was handed to the engine */
    bool output_begun;             /* some byte of ours left the engine */
    bool no_body;                  /* written bytes are dropped: the response to HEAD */
    bool send_ended;               /* http_stream_end() was called; bytes may still be queued */
    bool starved;                  /* http_stream_write() could not take everything */
    bool received_end;
    bool may_upgrade; /* server: the request allows the response 101 */
};

/* Engine life. */
void http_engine_init(struct http_engine *engine, const struct http_engine_ops *ops,
                      enum http_role role, const struct http_limits *limits);
void http_engine_fail_all(struct http_engine *engine, const struct error *err);
struct error *http_engine_name_peer(const struct http_engine *engine, struct error *err);

/* Exchange life: in the engine's list from init to done. */
void http_exchange_init(struct http_exchange *exchange, struct http_engine *engine);
void http_exchange_done(struct http_exchange *exchange);
void http_exchange_join(struct http_exchange *exchange, struct http_stream *stream);

/* The send queue. */
size_t http_exchange_queued(const struct http_exchange *exchange);
size_t http_exchange_take(struct http_exchange *exchange, char *into, size_t max);
static inline bool http_exchange_is_sent(const struct http_exchange *exchange)
{
    return exchange->send_ended && http_exchange_queued(exchange) == 0;
}

/* Checks the size of a head to be sent, and reads what it says about the body. */
struct error *http_exchange_announce(struct http_exchange *exchange, const struct http_head *head,
                                     bool end);

/* Deliver events. No-ops once the stream was released, except that the head is freed. */
bool http_exchange_tell_open(struct http_exchange *exchange);
void http_exchange_tell_head(struct http_exchange *exchange, struct http_head *head);
void http_exchange_tell_data(struct http_exchange *exchange, struct str bytes);
void http_exchange_tell_end(struct http_exchange *exchange);
void http_exchange_tell_closed(struct http_exchange *exchange, struct error *err);
void http_engine_tell_goaway(struct http_engine *engine);
void http_engine_tell_settings(struct http_engine *engine);
void http_engine_tell_pong(struct http_engine *engine);

/* True for headers of one HTTP/1.1 connection, which only the engine writes and reads. */
bool http_is_connection_header(struct str name);
