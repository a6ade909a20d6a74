/*
 * A whole API on a simulated loop, in memory and without a wire: requests go to the server's
 * handler and their answers come back as documents. What every answer has to be is checked here.
 */
#pragma once

#include "apiserver/endpoints/handler.h"
#include "async/scope.h"
#include "direct_request.h"
#include "json/json.h"

struct api;
struct crd_pool;
struct loop;

struct api_stage {
    struct loop *loop;
    struct api *api;
    struct virtual_clusters *clusters;
    struct handler handler;
    struct buf token; /* "Bearer ..." of the admin */
    struct scope watches;
};

/* On a fiber of the loop. Suspends. */
void api_stage_init(struct api_stage *stage);
void api_stage_done(struct api_stage *stage);

/* The status; *ret_doc is what was answered, NULL when that is no JSON. Suspends. */
int api_stage_call(struct api_stage *stage, struct str method, struct str target,
                   struct str content_type, struct str body, struct json_doc **ret_doc);

/* A stream that runs until the stage is done; its lines are in the request's answer. */
void api_stage_watch(struct api_stage *stage, struct http_request *http, struct str target);

/* Lets everything that follows a write happen. Suspends. */
void api_stage_settle(struct api_stage *stage);
