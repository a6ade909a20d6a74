/*
 * A whole API on a simulated loop, in memory and without a network: requests go to the handler of
 * the server, and answers come back as documents. What must hold for every answer is checked here.
 */
#pragma once

#include "apiserver/endpoints/handler.h"
#include "async/scope.h"
#include "direct_request.h"
#include "json/json.h"

struct api;
struct crd_pool;
struct loop;

struct api_fixture {
    struct loop *loop;
    struct api *api;
    struct virtual_clusters *clusters;
    struct handler handler;
    struct buf token; /* "Bearer ..." of the admin */
    struct scope watches;
};

/* On a fiber of the loop. Suspends. */
void api_fixture_init(struct api_fixture *fixture);
void api_fixture_done(struct api_fixture *fixture);

/* The status; *ret_doc is what was answered, NULL when that is no JSON. Suspends. */
int api_fixture_call(struct api_fixture *fixture, struct str method, struct str target,
                     struct str content_type, struct str body, struct json_doc **ret_doc);

/* The same for a request with headers of its own, of which the caller reads the answer. Suspends.
 */
void api_fixture_send(struct api_fixture *fixture, struct http_request *http,
                      struct json_doc **ret_doc);

/* A stream that runs until the fixture is done; its lines are in the request's answer. */
void api_fixture_watch(struct api_fixture *fixture, struct http_request *http, struct str target);

/* Lets everything that follows a write happen. Suspends. */
void api_fixture_settle(struct api_fixture *fixture);
