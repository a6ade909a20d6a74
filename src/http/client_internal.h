/* The state of a client: for client.c, and for tests that count connections. */
#pragma once

#include "async/event.h"
#include "base/arena.h"
#include "base/list.h"
#include "http/client.h"

struct http_client {
    struct loop *loop;
    struct http_endpoint endpoint;
    size_t connections_max, idle_max;
    struct http_limits limits;
    struct http_timeouts timeouts;
    bool offer_gzip;

    struct arena texts; /* host, names, authority, proxy */
    struct str authority;
    struct tls_resumption *resumption;

    struct list conns;   /* usable */
    struct list retired; /* take no more calls */
    size_t conn_count;   /* of both lists */
    uint64_t dial_count; /* connections made so far */
    size_t usable, busy; /* of conns: all, and those with calls */
    size_t dialing;
    bool speaks_http1; /* the server spoke HTTP/1.1: several connections may be dialed at a time */
    struct event changed;
};
