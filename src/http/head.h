/*
 * The head of a request or a response: the message without its body.
 *
 * In a head to be sent, texts are borrowed from the caller. A received head owns its texts; it is
 * moved with http_head_take() and wiped by http_head_done().
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "http/headers.h"

struct http_head {
    /* Requests. */
    struct str method;    /* "GET" */
    struct str scheme;    /* "https"; empty in a received HTTP/1.1 request, which does not say */
    struct str authority; /* "host:port"; what HTTP/1.1 calls Host */
    struct str target;    /* path and query, "*" for OPTIONS, empty for CONNECT */
    bool wants_upgrade;   /* received: HTTP/1.1 with "Upgrade", to another protocol than HTTP */
    bool wants_websocket; /* received: a GET over HTTP/1.1 with "Upgrade: websocket" */
    /* Responses. */
    int status;
    struct http_headers headers; /* without Host and the headers that the engine adds */
    struct buf text;             /* storage of a received head */
};

void http_head_done(struct http_head *head);

/* Moves a head; the source is empty afterwards. */
struct http_head http_head_take(struct http_head *head);

/* Copies the four texts of a request into the head, which then owns them. */
void http_head_own(struct http_head *head);

/*
 * ERROR_INVALID for a head that cannot be sent: a method that is no token, a target or authority
 * with spaces or control characters, a status outside 200 to 599.
 */
MUST_USE struct error *http_head_check_request(const struct http_head *head);
MUST_USE struct error *http_head_check_response(const struct http_head *head);

/* Reads Content-Length: -1 when absent, ERROR_PROTOCOL when it is no number or said twice. */
MUST_USE struct error *http_head_read_length(const struct http_head *head, int64_t *ret_length);

/* True for responses that never have a body: to HEAD, 1xx, 204 and 304. */
bool http_has_no_body(struct str request_method, int status);

/* "Not Found" for 404; empty for a status without a name. */
struct str http_status_text(int status);
