/*
 * Those who send requests to one server: its administrator, and everybody else, who shows no client
 * certificate. They share no connections, because a certificate belongs to a connection.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"
#include "http/client.h"
#include "peers/conformance/request.h"

struct caller;
struct loop;
struct network;
struct rest_config;
struct tls_context;

struct caller_options {
    const struct rest_config *config; /* borrowed; where the server is and who administers it */
    struct network *network;
    struct tls_context *tls;
};

struct caller *caller_new(struct loop *loop, const struct caller_options *options);
void caller_free(struct caller *caller);
DEFINE_OWNED(caller)

/* Suspends until the answer's head is there. Headers of credentials are added to the request. */
MUST_USE struct error *caller_send(struct caller *caller, struct request *request,
                                   struct http_response **ret_response);
