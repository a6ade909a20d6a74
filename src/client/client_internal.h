/*
 * What the files of the client share. Private to src/client.
 *
 * The way of a request: verbs.c, list.c and watch.c build a client_request; client_exchange()
 * (exchange.c) waits for the rate limit, repeats and reads the response; client_begin() (client.c)
 * adds headers and credentials, follows redirects and sends. A watch calls client_begin() directly,
 * because its response has no end.
 */
#pragma once

#include "client/answer.h"
#include "client/client.h"

struct rest_impersonation;

struct client_request {
    struct str method;
    struct str path;  /* below the path of the server's URL */
    struct buf query; /* client_begin() adds "timeout" */
    struct str accept, content_type, body, if_none_match;
    struct rate_limit *rate_limit; /* NULL: none */
    duration timeout;              /* 0: the client's */
    bool no_retry;
    bool is_plain; /* no compression is offered */

    /* Of client_stream() alone. */
    const struct http_headers *headers;  /* instead of the three above; NULL: those */
    struct str agent;                    /* behind the user agent of the client */
    const struct rest_impersonation *as; /* instead of the impersonation of the config */
    bool no_redirect;
};

static inline void client_request_done(struct client_request *request)
{
    buf_done(&request->query);
}

/* Adds "name=value" with the value escaped. An empty value adds nothing. */
void client_query_add(struct buf *query, const char *name, struct str value);
void client_query_add_int(struct buf *query, const char *name, int64_t value);

/* The rate limit of a resource, made on first use. */
struct rate_limit *client_rate_limit(struct client *client, struct gvr gvr);

/* The Accept header that asks for a form. */
struct str client_accept(enum client_form form, bool list);

/*
 * Sends once. Suspends until the head of the response has arrived, whatever its status. Only the
 * deadline of the fiber limits the wait; "limit" is the value of the query parameter "timeout".
 */
MUST_USE struct error *client_begin(struct client *client, const struct client_request *request,
                                    duration limit, struct http_response **ret_response);

/*
 * The whole exchange, with rate limit, timeout and repetitions. The body is empty before. A
 * response that is not a success is an error. ret_answer may be NULL. Suspends.
 */
MUST_USE struct error *client_exchange(struct client *client, const struct client_request *request,
                                       struct arena *arena, struct answer *body,
                                       struct client_raw_answer *ret_answer);
struct loop *client_loop(const struct client *client);
const struct client_options *client_options_of(const struct client *client);

/* The allowance of the server for large answers, see answer.h. */
struct rate_limit *client_answer_allowance(struct client *client);

/* Passes the Warning headers of a response to options->warn or to the log. */
void client_show_warnings(const struct client_options *options, const struct http_headers *headers);
