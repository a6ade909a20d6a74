/*
 * An HTTP server: a fiber for every request, none for idle connections.
 *
 * The handler runs on a fiber, reads the request and writes the response with calls that suspend.
 * The fiber is cancelled when the client disconnects. An error that the handler returns becomes the
 * response if none was begun. Otherwise it cuts the response off, so that a client cannot mistake a
 * partial response for a complete one.
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

struct cpu_share;
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
    size_t connections; /* at most; 0 means 10,000. Then an idle one makes room; see conn_table.h */
    size_t strangers;   /* of them at most without http_request_vouch(); 0: as many */
    size_t surplus;     /* further ones, whose requests the handler refuses; see below */
    size_t unsent; /* bytes that the system keeps for a client that does not read; 0: its own */

    /* Called when no connection can be accepted, and with NULL when one was after that. */
    void (*on_accept)(void *data, const struct error *err);
    duration handshake_timeout; /* 0 means 10 s */
    struct http_limits limits;
    struct http_timeouts timeouts;
};

/* Suspends. The server listens and accepts connections when this has returned. */
MUST_USE struct error *http_server_new(struct loop *loop, const struct http_server_options *options,
                                       struct http_server **ret_server);

/* Stops at once: handlers are cancelled and joined, connections closed. Suspends. */
void http_server_free(struct http_server *server);
DEFINE_OWNED(http_server)

uint16_t http_server_port(const struct http_server *server);

/*
 * Refuses new connections and requests, and suspends until the running requests have ended. The
 * caller's deadline limits the wait; http_server_free() ends the remaining requests.
 */
MUST_USE struct error *http_server_drain(struct http_server *server);

/* Properties of the request, valid while its handler runs. */
struct str http_request_method(const struct http_request *request);
struct str http_request_target(const struct http_request *request);    /* path and query */
struct str http_request_authority(const struct http_request *request); /* Host */
const struct http_headers *http_request_headers(const struct http_request *request);
struct arena *http_request_arena(struct http_request *request); /* lives as long as the request */

/* Whether websocket_accept() may answer the request; see websocket.h. Other answers are fine, too.
 */
bool http_request_wants_websocket(const struct http_request *request);

/* Whether the client offers another protocol, WebSocket or not. It is no use to it without. */
bool http_request_wants_upgrade(const struct http_request *request);

/*
 * Whether its connection was accepted while options.connections were in use already. The handler
 * says so and retires the connection: a refusal that is told, where waiting would look like a hang.
 */
bool http_request_is_surplus(const struct http_request *request);

/* Its client has shown who it is. The connection is no stranger's any more. */
void http_request_vouch(struct http_request *request);

/* The connection takes no further request, and ends with the answer to this one. */
void http_request_retire(struct http_request *request);

/* The address that the client has; see transport_peer(). */
struct str http_request_client(struct http_request *request);

/* The identity in the client's certificate. Empty over plain HTTP. */
void http_request_peer(struct http_request *request, struct tls_peer *ret_peer);

/* Suspends. *ret_len is 0 at the end of the body. */
MUST_USE struct error *http_request_read(struct http_request *request, char *ptr, size_t capacity,
                                         size_t *ret_len);

/* Suspends. Appends the whole body; ERROR_TOO_LARGE past the buffer's limit. */
MUST_USE struct error *http_request_read_all(struct http_request *request, struct buf *body);

/* Begins the response, once. headers may be NULL. The head is sent at once. */
MUST_USE struct error *http_request_respond(struct http_request *request, int status,
                                            const struct http_headers *headers);

/* Suspends while the client does not read. Bytes are sent without waiting for more. */
MUST_USE struct error *http_request_write(struct http_request *request, struct str bytes);

/*
 * A field that follows the body of a response that was begun without a length, for what is known
 * at its end only. Clients of HTTP/1.0 do not get it. ERROR_INVALID for a name or value that may
 * not stand in a message.
 */
MUST_USE struct error *http_request_add_trailer(struct http_request *request, struct str name,
                                                struct str value);

/* Sends a complete response. */
MUST_USE struct error *http_request_answer(struct http_request *request, int status,
                                           struct str content_type, struct str body);

/*
 * http_request_break() ends the connection as a network failure would, for tests of clients:
 * nothing more is sent and handlers of other requests on the connection are cancelled. The calling
 * handler must return.
 *
 * A server that serves several virtual clusters on one port marks each request with the cluster,
 * its party. When requests of several parties share an HTTP/2 connection, http_request_break()
 * resets only the streams of its own party.
 */
void http_request_set_party(struct http_request *request, const void *party);
void http_request_break(struct http_request *request);

/*
 * The calling handler takes its turns from this share of the CPU, and so do further requests on its
 * connection, until one of another share comes. Suspends; see cpu_share_join().
 */
MUST_USE struct error *http_request_join_share(struct http_request *request,
                                               struct cpu_share *share);

bool http_request_has_responded(const struct http_request *request);
int http_request_status(const struct http_request *request); /* 0 before the response */
