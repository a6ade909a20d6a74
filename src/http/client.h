/*
 * An HTTP client for one server: a pool of connections that all fibers share.
 *
 * With HTTP/2, which TLS negotiates, one connection carries all requests. HTTP/1.1 takes one
 * connection per running request, up to a limit, and keeps connections alive. When a connection
 * turns out dead before the server can have acted on a request, the request is retried on another
 * one. Idle connections need no fiber.
 *
 *     OWNED(http_response) response = NULL;
 *     TRY(http_client_send(client, &request, &response));
 *     TRY(http_response_read_all(response, &body));
 *
 * Deadlines are those of the fiber. http_client_send() returns when the response's head has
 * arrived, so a caller can limit the wait for the head and then read a stream for hours without a
 * limit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "http/conn.h"
#include "http/dial.h"
#include "http/headers.h"

struct http_client;
struct http_response;
struct task;

struct http_client_options {
    struct http_endpoint endpoint; /* copied, credentials referenced */
    size_t connections;            /* at most; 0 means 16 */
    size_t idle_connections;       /* HTTP/1.1 connections kept alive; 0 means 2 */
    struct http_limits limits;
    struct http_timeouts timeouts;
    bool no_gzip; /* do not accept compressed responses */
};

struct http_client *http_client_new(struct loop *loop, const struct http_client_options *options);

/* No response may be left. Connections are closed at once and freed by the loop later. */
void http_client_free(struct http_client *client);
DEFINE_OWNED(http_client)

/* Requests that run now, on all connections. */
size_t http_client_call_count(const struct http_client *client);

/* Connections made so far. */
uint64_t http_client_dial_count(const struct http_client *client);

/* Whether the last connection that was made speaks HTTP/2. */
bool http_client_speaks_http2(const struct http_client *client);

struct http_client_request {
    struct str method;    /* empty means GET */
    struct str target;    /* path and query */
    struct str authority; /* Host; empty: the endpoint's */
    const struct http_headers *headers;
    struct str body; /* borrowed until http_client_send() returns; sent again on a retry */

    /*
     * Called with a connection at hand, before the head and before each part of the body is handed
     * over; NULL means always. False ends the call with ERROR_CANCELED and leaves the request
     * incomplete. Called again right before bytes leave, see http_conn_guard().
     */
    bool (*may_send)(void *data);
    void *may_send_data;
};

/* Suspends until the response's head has arrived. */
MUST_USE struct error *http_client_send(struct http_client *client,
                                        const struct http_client_request *request,
                                        struct http_response **ret_response);

/*
 * Sets whether new connections offer HTTP/2. Existing connections are retired, so that only one
 * protocol remains.
 */
void http_client_offer_http2(struct http_client *client, bool offer);

/* Closes idle connections, and busy ones when their requests have ended. */
void http_client_close_idle(struct http_client *client);

/* Discards the rest of the body. Over HTTP/1.1 that closes the connection. */
void http_response_free(struct http_response *response);
DEFINE_OWNED(http_response)

int http_response_status(const struct http_response *response);
const struct http_headers *http_response_headers(const struct http_response *response);

/* Suspends until body bytes have arrived, decompressed; *ret_len is 0 at the end. */
MUST_USE struct error *http_response_read(struct http_response *response, char *ptr,
                                          size_t capacity, size_t *ret_len);

/* Suspends until body bytes have arrived; empty at the end. Valid until the next call. */
MUST_USE struct error *http_response_read_piece(struct http_response *response,
                                                struct str *ret_piece);

/* Suspends. Appends the rest of the body; the buffer's limit bounds it. */
MUST_USE struct error *http_response_read_all(struct http_response *response, struct buf *body);

/*
 * For callers that let a body wait before they read it. The bytes that have arrived and were not
 * read, as they came over the wire; the window of a stream (http_limits) bounds them.
 */
size_t http_response_held(const struct http_response *response);

/* No more bytes will arrive: the body is complete or its connection is lost. */
bool http_response_has_ended(const struct http_response *response);

/* Suspends until more bytes have arrived, the body has ended, or http_response_wake(). */
MUST_USE struct error *http_response_wait_arrival(struct http_response *response);
void http_response_wake(struct http_response *response);

/* Leaves a compressed body as it is, for callers that pass it on. Called before the first read. */
void http_response_keep_encoding(struct http_response *response);

/*
 * Follows the rest of the body without a fiber, for streams of which a process has many: the task
 * is posted now and whenever bytes or the end have arrived, until the response is freed, which
 * withdraws it. The headers are forgotten. ERROR_PROTOCOL for a compressed body: what it takes to
 * read one is more than a stream that says little should hold.
 */
MUST_USE struct error *http_response_follow(struct http_response *response, struct task *task);

/*
 * Of a response that is followed. Never suspends: empty when nothing has arrived, and at the end.
 * Valid until the next call; who calls until it is empty leaves no memory behind.
 */
MUST_USE struct error *http_response_take_piece(struct http_response *response,
                                                struct str *ret_piece, bool *ret_ended);

/* The longest line that http_response_read_line() takes. Without this call it is 16 MiB, and never
 * more. */
void http_response_limit_lines(struct http_response *response, size_t limit);

/*
 * Suspends until a whole line has arrived. The line comes without its line end and is valid until
 * the next call. A NULL pointer means that the stream has ended. A last line without a line end is
 * an error: the stream was truncated.
 */
MUST_USE struct error *http_response_read_line(struct http_response *response,
                                               struct str *ret_line);
