/*
 * Where an answer goes: to an HTTP client of the endpoint, or to a command of this process that
 * asks the clusters itself.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"

struct http_headers;
struct http_request;

struct fleet_reply_ops {
    /* Once, before the first write. */
    struct error *(*begin)(void *data, int status, const struct http_headers *headers);
    struct error *(*write)(void *data, struct str bytes); /* may suspend */
    /* What is known at the end of an answer that has begun. */
    struct error *(*trailer)(void *data, struct str name, struct str value);
};

struct fleet_reply {
    const struct fleet_reply_ops *ops;
    void *data;
    int status;   /* 0: not begun */
    size_t bytes; /* of the body so far */
};

/* To the client of an HTTP request. */
struct fleet_reply fleet_reply_http(struct http_request *request);

MUST_USE struct error *fleet_reply_begin(struct fleet_reply *reply, int status,
                                         const struct http_headers *headers);
MUST_USE struct error *fleet_reply_write(struct fleet_reply *reply, struct str bytes);
MUST_USE struct error *fleet_reply_trailer(struct fleet_reply *reply, struct str name,
                                           struct str value);

/* A whole answer; headers may be NULL and get the type of the content. */
MUST_USE struct error *fleet_reply_send(struct fleet_reply *reply, int status,
                                        struct http_headers *headers, struct str body);

/*
 * The error as a Status, with Retry-After if it has one. Takes the error. Headers may be NULL. An
 * answer that has begun cannot say it any more: the error is returned, and breaks it off.
 */
MUST_USE struct error *fleet_reply_fail(struct fleet_reply *reply, struct http_headers *headers,
                                        struct error *err);
