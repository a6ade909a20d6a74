/*
 * The entry of every HTTP request: finds the API it is for, authenticates and authorizes its user,
 * applies the limits, and hands it to route.h.
 */
#pragma once

#include "apiserver/endpoints/extension.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "apiserver/endpoints/parties.h"
#include "base/error.h"

struct api;
struct virtual_clusters;
struct http_request;
struct loop;
struct metrics;

struct handler {
    struct loop *loop;
    struct api *api;
    struct virtual_clusters *clusters;
    struct inflight_limits limits;
    struct parties parties;
    struct metrics *metrics; /* of the main API, served at /metrics; NULL: none */
    struct extension extension;
};

/*
 * The handler of http_server. data is the struct handler. An error closes the connection; all
 * errors that a client can be told were sent before.
 */
MUST_USE struct error *handler_serve(void *data, struct http_request *http);
