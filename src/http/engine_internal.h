/*
 * What h1.c and h2.c implement and share; see engine.h for the interface they serve.
 *
 * The engine's half of a stream is a struct http_exchange. It holds the queue of bytes to be sent
 * and outlives the caller's struct http_stream, so that a handler may let go of its stream while
 * the last bytes are still waiting for the peer.
 */
#pragma once

#include "http/engine.h"

/* Most bytes of one DATA frame or chunk. */
#define HTTP_PIECE_MAX (16 * KILOBYTE)

/* Most bytes of a head of ours. nghttp2 sends none beyond 64 KiB, and few peers would take it. */
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
    /* Sets *ret_exchange; the caller joins it with the stream. */
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
    char first[8];         /* how the peer's bytes begin, to tell what it speaks */
    uint8_t first_len;
    bool in_event;
    bool failed; /* closed its streams with an error; may have last words to output */
    bool lost;   /* nothing goes out any more either */
    bool goaway_told;
};

struct http_exchange {
    struct list_link link;
    struct http_engine *engine;
    struct http_stream *stream; /* NULL once released */
    int32_t id;
    struct buf queue; /* bytes from queue_start on wait to be sent */
    size_t queue_start;
    int64_t send_left; /* of what Content-Length announced; -1 when it did not */
    size_t unconsumed; /* received bytes the reader still has */
    bool head_sent;    /* our head was handed to the engine */
    bool output_begun; /* some byte of ours left the engine */
    bool no_body;      /* what is written is dropped: the answer to a HEAD */
    bool send_ended;   /* the caller said so; the queue may still be full */
    bool starved;      /* the writer waits for room */
    bool received_end;
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

/* Reads what a head to be sent says about the body, before it is sent. */
struct error *http_exchange_announce(struct http_exchange *exchange, const struct http_head *head,
                                     bool end);

/* Events. Each does nothing once the stream was released; the head is released either way. */
bool http_exchange_tell_open(struct http_exchange *exchange);
void http_exchange_tell_head(struct http_exchange *exchange, struct http_head *head);
void http_exchange_tell_data(struct http_exchange *exchange, struct str bytes);
void http_exchange_tell_end(struct http_exchange *exchange);
void http_exchange_tell_closed(struct http_exchange *exchange, struct error *err);
void http_engine_tell_goaway(struct http_engine *engine);
void http_engine_tell_settings(struct http_engine *engine);
void http_engine_tell_pong(struct http_engine *engine);

/* Fields that belong to one HTTP/1.1 connection: written and read by the engine alone. */
bool http_is_connection_header(struct str name);
