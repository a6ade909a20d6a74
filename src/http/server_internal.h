/* The state of a server and of a request: for server.c, and for tests that look inside. */
#pragma once

#include "async/event.h"
#include "async/scope.h"
#include "http/conn_table.h"
#include "http/handshakes.h"
#include "http/server.h"

struct http_call;
struct listener;

struct http_server {
    struct loop *loop;
    struct http_server_options options;
    struct listener *listener;
    uint16_t port;
    struct scope acceptor;
    struct handshakes handshakes;
    struct scope handlers;
    struct conn_table conns;
    size_t conn_count; /* connections in their handshake included */
    size_t request_count;
    bool draining;
    struct event changed;
    bool is_refusing; /* the last attempt to accept a connection failed */
};

struct http_request {
    struct http_server *server;
    struct http_call *call;
    struct arena arena;
    bool responded;
    int status; /* of the response */
    bool wanted_body;
};
