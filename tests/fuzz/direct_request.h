/*
 * A request without a wire: struct http_request as handlers see it, with its body at hand and its
 * answer collected. It stands in for http/server.c, which is not linked where this is.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "http/headers.h"
#include "http/server.h"

struct http_request {
    struct str method, target, body;
    struct http_headers headers;
    struct arena arena;

    int status; /* 0 until it is answered */
    bool is_json;
    struct buf answer;
};

void http_request_done(struct http_request *request);

/* A header that no message can carry is left out. */
void direct_request_add_header(struct http_request *request, struct str name, struct str value);
