/*
 * A protocol engine: one connection's HTTP/1.1 or HTTP/2, client or server, without I/O.
 *
 * Bytes go in, bytes come out, and events report their meaning. The engine knows no sockets, no
 * fibers and no clock; those belong to its driver (conn.c). The driver's loop:
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
 * Handlers of events record state and wake waiting fibers. Inside an event no http_engine_*() or
 * http_stream_*() call may be made on the same engine (asserted), except the two queries
 * http_stream_room() and http_engine_capacity(). Views passed to an event are valid until it
 * returns.
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
 * Trailers are checked, limited and dropped; so are 1xx answers. There is no server push. A server
 * may answer 101 to a request whose head says wants_websocket. From then on the data events of the
 * stream are what the client sends, written bytes are sent as they are, and the end of our message
 * ends the connection. The end event of the request came before.
 *
 * A stream that the peer reset no longer counts against the limit of concurrent streams, although
 * its handler may still be unwinding. The driver must limit the number of handlers separately.
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

/* Why a stream is reset. HTTP/1.1 cannot express it: the connection ends instead. */
enum http_reset {
    HTTP_RESET_CANCEL,    /* no longer interested */
    HTTP_RESET_REFUSED,   /* not processed at all; the peer may retry */
    HTTP_RESET_INTERNAL,  /* our own failure */
    HTTP_RESET_PROTOCOL,  /* the peer's message is malformed */
    HTTP_RESET_TOO_LARGE, /* the peer exceeds a limit */
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
    bool unprocessed; /* closed with an error, and the peer certainly did not act on the request */
    bool answered;    /* client: some of the response arrived */
};

/* Every member must be set. "user" is the pointer given to h1_new() or h2_new(). */
struct http_events {
    /* Server: a request arrived; its head follows at once. NULL refuses it. */
    struct http_stream *(*open)(void *user);
    /* The peer's head. http_head_take() keeps it; otherwise it is released after the event. */
    void (*head)(struct http_stream *stream, struct http_head *head);
    void (*data)(struct http_stream *stream, struct str bytes);
    /* The peer's message is complete. */
    void (*end)(struct http_stream *stream);
    /*
     * The stream has ended and the engine no longer knows it. NULL: both messages are complete and
     * ours has been output, or the peer's response is complete and the peer refused the rest of our
     * request. Otherwise the exchange failed; the receiver frees the error.
     */
    void (*closed)(struct http_stream *stream, struct error *err);
    /* There is room in the queue again, after http_stream_write() could not take everything. */
    void (*writable)(struct http_stream *stream);
    /* Connection: no more streams can be opened; those that are open go on. At most once. */
    void (*goaway)(void *user);
    /* Connection: the peer changed its settings, and thereby perhaps http_engine_capacity(). */
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

/* False while received bytes would exceed the windows. The driver must not read then. */
bool http_engine_wants_input(const struct http_engine *engine);

/*
 * Appends about limit bytes to be sent: at most a head or a frame (16 KiB) more. An error has the
 * same meaning as from http_engine_receive(); the appended bytes must be sent even then.
 */
MUST_USE struct error *http_engine_output(struct http_engine *engine, struct buf *out,
                                          size_t limit);
bool http_engine_has_output(const struct http_engine *engine);

/*
 * Ends the connection gracefully: takes no new streams, lets the open ones complete, then is
 * finished. An HTTP/2 server first announces the shutdown and refuses streams one round trip later,
 * so that requests in flight are not lost.
 */
void http_engine_shutdown(struct http_engine *engine);

/* No further events will come: the driver closes the connection once the output is written. */
bool http_engine_is_finished(const struct http_engine *engine);

/* Sends a PING, which the pong event answers. False over HTTP/1.1, which has none. */
bool http_engine_ping(struct http_engine *engine);

/* The number of further streams that a client may open now. */
size_t http_engine_capacity(const struct http_engine *engine);

/*
 * Client: sends a request. The stream is zeroed except for link and user. With end there is no
 * body; otherwise Content-Length in the headers announces its length, or it is sent in chunks. On
 * failure nothing was sent and the engine does not know the stream: ERROR_INVALID for a head that
 * cannot be sent, ERROR_TOO_LARGE for one of more than 60 KiB, ERROR_CONNECTION when no stream can
 * be opened now.
 */
MUST_USE struct error *http_engine_open(struct http_engine *engine, struct http_stream *stream,
                                        const struct http_head *head, bool end);

/* Server: sends the response's head, once. The status is 200 to 599, or 101; see above. */
MUST_USE struct error *http_stream_respond(struct http_stream *stream, const struct http_head *head,
                                           bool end);

/*
 * Server: the handler is about to read the body. Sends 100 Continue if the client waits for it.
 */
void http_stream_want_body(struct http_stream *stream);

/*
 * Queues as many body bytes as there is room for. When *ret_taken is less than given, the rest must
 * be offered again after the writable event. ERROR_INVALID for more bytes than Content-Length
 * announced.
 */
MUST_USE struct error *http_stream_write(struct http_stream *stream, struct str bytes,
                                         size_t *ret_taken);
size_t http_stream_room(const struct http_stream *stream);

/* Server: a field behind the body, for a message in chunks or frames. Before http_stream_end(). */
MUST_USE struct error *http_stream_add_trailer(struct http_stream *stream, struct str name,
                                               struct str value);

/* Completes our message. ERROR_INVALID when Content-Length announced more bytes. */
MUST_USE struct error *http_stream_end(struct http_stream *stream);

/* Returns len bytes of data events to the flow-control window. */
void http_stream_consume(struct http_stream *stream, size_t len);

/* Cancels the exchange. The engine no longer knows the stream. */
void http_stream_reset(struct http_stream *stream, enum http_reset reason);

/*
 * Detaches the stream from the engine, so that its storage can be freed. A response that was ended
 * is still sent completely; any other incomplete exchange is cancelled. A no-op for a stream that
 * the engine does not know.
 */
void http_stream_release(struct http_stream *stream);
