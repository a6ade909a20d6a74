/*
 * A protocol engine: one connection's HTTP/1.1 or HTTP/2, client or server, without I/O.
 *
 * Bytes go in, bytes come out, and events say what they meant. The engine knows no sockets, no
 * fibers and no clock; whoever drives it owns those. Driving one is a loop:
 *
 *     read some bytes          -> http_engine_receive()      (while http_engine_wants_input())
 *     peer closed its side     -> http_engine_receive_end()
 *     socket failed, deadline  -> http_engine_fail()
 *     after any call at all    -> while http_engine_has_output(): http_engine_output(), write
 *     http_engine_is_finished(), no output left -> close
 *
 * An exchange is a struct http_stream in the caller's storage. Between http_engine_open() (client)
 * or the open event (server) and its closed event, http_stream_reset() or http_stream_release(),
 * the engine knows the stream, and the storage must stay where it is. Afterwards it never touches
 * it again.
 *
 * Events are called only from inside http_engine_receive(), _receive_end(), _output() and _fail().
 * They record, and wake whoever waits. Inside an event no http_engine_*() or http_stream_*() call
 * may be made on the same engine (asserted), except the two queries http_stream_room() and
 * http_engine_capacity(). Views passed to an event end with it.
 *
 * Order of a stream's events: [open] head data* [end] closed, with writable anywhere before closed.
 * Each stream gets exactly one closed event unless it is reset or released first. A local
 * http_stream_reset() or _release() produces no event.
 *
 * Received body bytes are limited by the stream's window: bytes handed out by data count until
 * http_stream_consume() gives them back. HTTP/2 enforces this with flow control. HTTP/1.1 cannot,
 * so the engine asks not to be fed (http_engine_wants_input()); it may exceed the window by what
 * one call of http_engine_receive() passed.
 *
 * Bytes to be sent wait in a queue per stream, bounded by queue_limit, so that a slow peer or a
 * closed window holds the writer and not the memory.
 *
 * Trailers are checked, limited and dropped; so are 1xx answers. There is no server push and no
 * protocol upgrade.
 *
 * A stream the peer reset no longer counts against the limit of concurrent streams, though its
 * handler may still be unwinding: who runs handlers bounds their number as well.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"
#include "base/str.h"
#include "http/head.h"

struct http_engine;
struct http_exchange;

enum http_role {
    HTTP_CLIENT,
    HTTP_SERVER,
};

/* Why a stream is given up. HTTP/1.1 has no words for it: the connection ends instead. */
enum http_reset {
    HTTP_RESET_CANCEL,    /* no longer interested */
    HTTP_RESET_REFUSED,   /* not processed at all; the peer may retry */
    HTTP_RESET_INTERNAL,  /* our own failure */
    HTTP_RESET_PROTOCOL,  /* the peer's message makes no sense */
    HTTP_RESET_TOO_LARGE, /* the peer asks too much */
};

/* Zero means the default. */
struct http_limits {
    size_t head;              /* bytes of a received head, and of its trailers: 64 KiB */
    size_t headers;           /* fields of a received head: 256 */
    size_t window;            /* received body bytes a stream holds unconsumed: 256 KiB */
    size_t connection_window; /* the same for all streams of a server connection: 1 MiB */
    size_t queue;             /* body bytes a stream holds unsent: 64 KiB */
    size_t streams;           /* concurrent streams an HTTP/2 server accepts: 250 */
};

struct http_stream {
    /* The caller's. */
    struct list_link link;
    void *user;
    /* Set by the engine. */
    struct http_engine *engine; /* NULL while the engine does not know the stream */
    struct http_exchange *exchange;
    int32_t id;       /* HTTP/2's number; counts up from 1 with HTTP/1.1 */
    bool unprocessed; /* closed with an error, and the peer surely did not act on the request */
    bool answered;    /* client: some of the response arrived */
};

/* What happened. Every member must be set. "user" is the pointer given to h1_new() or h2_new(). */
struct http_events {
    /* Server: a request arrived; its head follows at once. NULL refuses it. */
    struct http_stream *(*open)(void *user);
    /* The peer's head. http_head_take() keeps it; what is left is released after the event. */
    void (*head)(struct http_stream *stream, struct http_head *head);
    void (*data)(struct http_stream *stream, struct str bytes);
    /* The peer's message is complete. */
    void (*end)(struct http_stream *stream);
    /*
     * The stream is over and forgotten. NULL: both messages are complete, ours has been output; or
     * the peer's response is complete and it wants no more of our request. Otherwise the exchange
     * failed, and the error is the receiver's to free.
     */
    void (*closed)(struct http_stream *stream, struct error *err);
    /* There is room in the queue again, after http_stream_write() could not take everything. */
    void (*writable)(struct http_stream *stream);
    /* Connection: no more streams can be opened; those that are open go on. At most once. */
    void (*goaway)(void *user);
    /* Connection: http_engine_capacity() may have changed by the peer's word. */
    void (*settings)(void *user);
    /* Connection: the answer to one http_engine_ping(). */
    void (*pong)(void *user);
};

void http_engine_free(struct http_engine *engine);
DEFINE_OWNED(http_engine)

/*
 * Takes received bytes, all of them. An error concerns the connection: every open stream has been
 * closed with a copy of it, and the engine is finished once its output (a 400 answer, a GOAWAY) is
 * written.
 */
MUST_USE struct error *http_engine_receive(struct http_engine *engine, struct str bytes);

/*
 * The peer will send nothing more. ERROR_PROTOCOL "truncated ..." when that cuts an HTTP/1.1
 * message short, ERROR_CONNECTION when streams were open otherwise, NULL when there were none.
 */
MUST_USE struct error *http_engine_receive_end(struct http_engine *engine);

/* The connection is lost: closes every open stream with a copy of the error. */
void http_engine_fail(struct http_engine *engine, const struct error *err);

/* False while more bytes would only pile up. The caller then reads nothing from the peer. */
bool http_engine_wants_input(const struct http_engine *engine);

/*
 * Appends bytes to be sent, about limit of them: at most a head or a frame (16 KiB) more. An error
 * means what it means from http_engine_receive(); what was appended is to be written even then.
 */
MUST_USE struct error *http_engine_output(struct http_engine *engine, struct buf *out,
                                          size_t limit);
bool http_engine_has_output(const struct http_engine *engine);

/*
 * Ends the connection gracefully: no new streams, the open ones complete, then the engine is
 * finished. An HTTP/2 server first announces it and refuses streams a round trip later, so that
 * requests under way are not lost.
 */
void http_engine_shutdown(struct http_engine *engine);

/* Nothing more will happen: close the connection once the output is written. */
bool http_engine_is_finished(const struct http_engine *engine);

/* Asks the peer for a sign of life, the pong event. False when the protocol has no such thing. */
bool http_engine_ping(struct http_engine *engine);

/* How many more streams a client may open now. */
size_t http_engine_capacity(const struct http_engine *engine);

/*
 * Client: sends a request. The stream is zeroed but for its link and user. With end there is no
 * body; else Content-Length in the headers announces it, or it is sent in chunks. On failure
 * nothing was sent and the stream stays unknown: ERROR_INVALID for a head that cannot be sent,
 * ERROR_TOO_LARGE for one of more than 60 KiB, ERROR_CONNECTION when no stream can be opened now.
 */
MUST_USE struct error *http_engine_open(struct http_engine *engine, struct http_stream *stream,
                                        const struct http_head *head, bool end);

/* Server: sends the response's head, once. */
MUST_USE struct error *http_stream_respond(struct http_stream *stream, const struct http_head *head,
                                           bool end);

/*
 * Server: the handler is going to read the body. Answers 100 Continue to a client that waits for
 * it; does nothing otherwise.
 */
void http_stream_want_body(struct http_stream *stream);

/*
 * Queues body bytes, as many as there is room for. Fewer than given: the rest is to be offered
 * again after the writable event. ERROR_INVALID for more bytes than Content-Length announced.
 */
MUST_USE struct error *http_stream_write(struct http_stream *stream, struct str bytes,
                                         size_t *ret_taken);
size_t http_stream_room(const struct http_stream *stream);

/* Our message is complete. ERROR_INVALID when Content-Length announced more bytes. */
MUST_USE struct error *http_stream_end(struct http_stream *stream);

/* The reader is done with len bytes it got from data events. */
void http_stream_consume(struct http_stream *stream, size_t len);

/* Gives the exchange up. The engine forgets the stream. */
void http_stream_reset(struct http_stream *stream, enum http_reset reason);

/*
 * Lets go of the storage. A response that was ended is still sent to its end; anything else that
 * is incomplete is cancelled. Does nothing to a stream the engine does not know.
 */
void http_stream_release(struct http_stream *stream);
