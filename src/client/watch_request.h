/* The request of a watch, until the server has accepted it. For watch.c and watch_stream.c. */
#pragma once

#include <stdbool.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"
#include "client/watch.h"

struct watch_request {
    struct client *client;
    struct str path;
    const struct watch_options *options; /* its version and its timeout do not count */
    struct str version;
    duration timeout; /* after which the server ends the stream */
    bool asks_initial;
    bool is_plain; /* no compression is offered */
};

/* How long after the request the stream counts as dead. */
duration watch_request_longest(const struct watch_request *request);

/* Suspends until the server has answered 200, at most 30 s. */
MUST_USE struct error *watch_request_send(const struct watch_request *request,
                                          struct http_response **ret_response);
