/* A request between the verbs that make it and the code that carries it out. */
#pragma once

#include "client/client.h"

struct client_request {
    struct str method;
    struct str path;  /* below the server's prefix */
    struct buf query; /* without timeout, which is added */
    struct str accept, content_type, body, if_none_match;
    struct rate_limit *rate_limit; /* NULL: none */
    duration timeout;              /* 0: the client's */
    bool no_retry;
};

static inline void client_request_done(struct client_request *request)
{
    buf_done(&request->query);
}

/* Adds "name=value", escaped; nothing when the value is empty. */
void client_query_add(struct buf *query, const char *name, struct str value);
void client_query_add_int(struct buf *query, const char *name, int64_t value);

/* The bucket of a resource. */
struct rate_limit *client_rate_limit(struct client *client, struct gvr gvr);

/* The Accept header for a form. */
struct str client_accept(enum client_form form, bool list);

/*
 * Suspends until the head of a successful answer is there; no repetitions. The caller's deadline
 * alone limits it. limit is what the server is told in the query.
 */
MUST_USE struct error *client_begin(struct client *client, const struct client_request *request,
                                    duration limit, struct http_response **ret_response);

/* Suspends for the whole exchange, with its limit, its turn and its repetitions. Appends the body.
 */
MUST_USE struct error *client_exchange(struct client *client, const struct client_request *request,
                                       struct arena *arena, struct buf *body,
                                       struct client_raw_answer *ret_answer);
struct loop *client_loop(const struct client *client);
const struct client_options *client_options_of(const struct client *client);

/* Tells about the Warning headers of an answer. */
void client_show_warnings(const struct client_options *options, const struct http_headers *headers);
