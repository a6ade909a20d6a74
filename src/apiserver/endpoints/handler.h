/*
 * Every request passes here: to its API, past identity and permission, to whoever serves it.
 */
#pragma once

#include "apiserver/endpoints/inflight_limits.h"
#include "base/error.h"

struct api;
struct virtual_clusters;
struct http_request;
struct loop;

struct handler {
    struct loop *loop;
    struct api *api;
    struct virtual_clusters *clusters;
    struct inflight_limits limits;
};

/* data is the struct handler. */
MUST_USE struct error *handler_serve(void *data, struct http_request *http);
