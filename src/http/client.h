/*
 * An HTTP client for one server: a pool of connections that every fiber shares.
 *
 * HTTP/2 is spoken where the server agrees, and then one connection carries everything; HTTP/1.1
 * takes a connection per running request, up to a limit, and keeps them alive. A connection that
 * turns out dead before the server can have acted on a request is replaced without the caller
 * noticing. Idle connections cost no fiber.
 *
 *     OWNED(http_response) response = NULL;
 *     TRY(http_client_send(client, &request, &response));
 *     TRY(http_response_read_all(response, &body));
 *
 * Deadlines are the fiber's: http_client_send() returns when the head is there, so a caller limits
 * that, and afterwards reads a stream for hours under another limit or none.
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

struct http_client_options {
    struct http_endpoint endpoint; /* copied, credentials referenced */
    size_t connections;            /* at most; 0 means 16 */
    size_t idle_connections;       /* HTTP/1.1, kept for later; 0 means 2 */
    struct http_limits limits;
    struct http_timeouts timeouts;
    bool no_gzip; /* do not offer to take compressed answers */
};

struct http_client *http_client_new(struct loop *loop, const struct http_client_options *options);

/* No response may be left. Connections close at once; their ends are tidied up by the loop. */
void http_client_free(struct http_client *client);
DEFINE_OWNED(http_client)

/* Requests that run now, on all connections. */
size_t http_client_call_count(const struct http_client *client);

struct http_client_request {
    struct str method;    /* empty means GET */
    struct str target;    /* path and query */
    struct str authority; /* Host; empty: the endpoint's */
    const struct http_headers *headers;
    struct str body; /* borrowed until http_client_send() returns; sent again on a retry */

    /*
     * Asked once there is a connection, right before the head and each part of the body are handed
     * to it; NULL: always. A no ends the call with ERROR_CANCELED, and what was sent stays
     * incomplete.
     */
    bool (*may_send)(void *data);
    void *may_send_data;
};

/* Suspends until the response's head is there. */
MUST_USE struct error *http_client_send(struct http_client *client,
                                        const struct http_client_request *request,
                                        struct http_response **ret_response);

/*
 * Whether connections made from now on offer HTTP/2. Those of the other protocol go when they are
 * idle, so that one kind is left.
 */
void http_client_offer_http2(struct http_client *client, bool offer);

/* Closes idle connections, and others when their requests have ended; new ones are made anew. */
void http_client_close_idle(struct http_client *client);

/* Gives up what was not read: over HTTP/1.1 the connection goes with it. */
void http_response_free(struct http_response *response);
DEFINE_OWNED(http_response)

int http_response_status(const struct http_response *response);
const struct http_headers *http_response_headers(const struct http_response *response);

/* Suspends until some of the body is there; *ret_len is 0 at its end. Decompressed. */
MUST_USE struct error *http_response_read(struct http_response *response, char *ptr,
                                          size_t capacity, size_t *ret_len);

/* Suspends. Appends the rest of the body; the buffer's limit bounds it. */
MUST_USE struct error *http_response_read_all(struct http_response *response, struct buf *body);

/*
 * Suspends until a whole line is there. It is shown without its end and valid until the next call;
 * a NULL pointer means the stream has ended. A last line without an end counts as truncated.
 */
MUST_USE struct error *http_response_read_line(struct http_response *response,
                                               struct str *ret_line);
