/*
 * An HTTP server: a fiber for every request, none for idle connections.
 *
 * The handler runs on a fiber of its own, reads the request and writes the response as if both
 * blocked. It is cancelled when the client goes away. An error it returns becomes the response when
 * none was begun yet, and cuts the response off otherwise, so that a client never takes half an
 * answer for a whole one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "http/conn.h"
#include "http/headers.h"

struct http_request;
struct http_server;
struct network;
struct tls_peer;
struct tls_server;

typedef struct error *(*http_handler_fn)(void *data, struct http_request *request);

struct http_server_options {
    struct network *network;
    struct str host;
    uint16_t port;          /* 0: any; see http_server_port() */
    struct tls_server *tls; /* NULL: plain HTTP/1.1 */
    http_handler_fn handler;
    void *data;
    size_t connections;         /* at most; 0 means 10,000 */
    duration handshake_timeout; /* 0 means 10 s */
    struct http_limits limits;
    struct http_timeouts timeouts;
};

/* Suspends. Listens when this has returned; connections are accepted from then on. */
MUST_USE struct error *http_server_new(struct loop *loop, const struct http_server_options *options,
                                       struct http_server **ret_server);

/* Stops at once: handlers are cancelled and joined, connections closed. Suspends. */
void http_server_free(struct http_server *server);
DEFINE_OWNED(http_server)

uint16_t http_server_port(const struct http_server *server);

/*
 * Takes no more connections and requests, and Suspends until those that run have ended. The
 * caller's deadline bounds it; http_server_free() ends what is left.
 */
MUST_USE struct error *http_server_drain(struct http_server *server);

/* The request, for as long as its handler runs. */
struct str http_request_method(const struct http_request *request);
struct str http_request_target(const struct http_request *request);    /* path and query */
struct str http_request_authority(const struct http_request *request); /* Host */
const struct http_headers *http_request_headers(const struct http_request *request);
struct arena *http_request_arena(struct http_request *request); /* lives as long as the request */

/* Who the client is by its certificate; not verified over plain HTTP. */
void http_request_peer(struct http_request *request, struct tls_peer *ret_peer);

/* Suspends. *ret_len is 0 at the end of the body. */
MUST_USE struct error *http_request_read(struct http_request *request, char *ptr, size_t capacity,
                                         size_t *ret_len);

/* Suspends. Appends the whole body; ERROR_TOO_LARGE past the buffer's limit. */
MUST_USE struct error *http_request_read_all(struct http_request *request, struct buf *body);

/* Begins the response, once. headers may be NULL. It goes out at once, body or not. */
MUST_USE struct error *http_request_respond(struct http_request *request, int status,
                                            const struct http_headers *headers);

/* Suspends while the client does not read. What was written is sent without waiting for more. */
MUST_USE struct error *http_request_write(struct http_request *request, struct str bytes);

/* A whole response in one go. */
MUST_USE struct error *http_request_answer(struct http_request *request, int status,
                                           struct str content_type, struct str body);

/*
 * Breaks the connection as a fault of the network would: nothing more is sent, whoever handles its
 * other requests is cancelled, and the caller returns. When requests for other parties have come
 * over the same HTTP/2 connection, only the streams of this request's party are reset.
 */
void http_request_set_party(struct http_request *request, const void *party);
void http_request_break(struct http_request *request);

bool http_request_has_responded(const struct http_request *request);
