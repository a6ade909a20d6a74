/*
 * An API server on the simulated network, behind a front that injects faults.
 *
 * The process under test connects to the front. Simulated users call the API behind it, which
 * always works. While faults are on, requests are refused, broken off, delayed, or carried out
 * without an answer; watches are cut, their events come late or twice; and the network itself has
 * bad phases.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/api.h"
#include "apiserver/crd/crd_webhooks.h"
#include "apiserver/endpoints/handler.h"
#include "base/buf.h"
#include "base/random.h"
#include "client/kubeconfig/kubeconfig.h"
#include "json/json.h"
#include "support/simulation/trace.h"

struct http_client;
struct http_request;
struct http_server;
struct network;

#define FRONT_PORT 80

/* What all runs of a process share: costly to make, and no run changes it. */
struct front_shared {
    struct token_keys *keys;
    struct rbac *base_rbac;
    struct crd_pool *pool;
};

void front_shared_init(struct front_shared *shared);
void front_shared_done(struct front_shared *shared);

/* Shares of requests and events that meet a fault. */
struct front_faults {
    double refused;   /* answered with 500, 503, 504, 429, 409 or 410 */
    double broken;    /* connection closed before the server saw the request */
    double lost;      /* the server did it, the answer does not arrive */
    double slow;      /* waits before it is looked at */
    double mangled;   /* of watches: the three below apply to its events */
    double duplicate; /* comes twice */
    double delay;     /* comes later, and all behind it */
    double cut;       /* the stream ends instead */
};

struct front_faults front_faults_draw(struct random *dice);

/* Told of every request that comes to the front, before anything is done with it. May suspend. */
struct front;
typedef void front_asked_fn(struct front *front, struct http_request *http);

struct front_options {
    const struct front_shared *shared;
    struct network *network;
    struct trace *trace;
    const char *name;   /* for the trace; empty: nobody has to be told apart */
    struct str host;    /* where the front is */
    struct str back;    /* where the same server is always well */
    struct str cluster; /* a virtual one: its admin has a token, and no TLS is needed */
    size_t history;     /* events the server remembers */
    const struct str *definitions;
    size_t definition_count;
    struct crd_webhooks_table webhooks;
    bool is_open;          /* to everybody: without TLS the token of a kubeconfig is not sent */
    const char *forbidden; /* part of targets that nobody may write to; NULL: none */
    front_asked_fn *asked; /* NULL: nobody cares */
    void *data;            /* whose front it is */
};

struct front {
    struct front_options options;
    struct front_faults faults;
    struct random dice;
    bool in_trouble;
    bool is_cut;       /* whoever asks is dying: nothing comes through any more */
    bool is_silent;    /* the network's mood: packets vanish */
    bool unauthorized; /* everybody is a stranger */

    struct api *api;
    struct handler handler;
    struct http_server *front, *back;
    struct http_client *direct; /* to the back */
    struct buf token;
    struct rest_config config; /* of the front, for its admin */

    size_t requests, writes, reads; /* that came; watches are requests alone */
    size_t active, watches;         /* under way now */
};

/* Suspend. */
void front_open(struct front *front, const struct front_options *options);
void front_close(struct front *front);

/* A server without its address for a while; what it stores stays. Suspend. */
void front_listen(struct front *front);
void front_shut(struct front *front);

/* A fiber that changes how the network behaves. */
MUST_USE struct error *front_weather(void *front);
void front_clear_sky(struct front *front);

/* A request to the back; gives the status. Fails the test when there is no answer. Suspends. */
int front_call(struct front *front, const char *method, const char *target, const char *body);

/* Stores an object, or merges it into the one that is there, without a request. */
void front_put(struct front *front, const struct buf *text);

/* In a management cluster: the Secret with the kubeconfig of Cluster default/c<cluster>. */
void front_put_kubeconfig(struct front *front, size_t cluster, struct str host, struct str token);

/* A stored object, read without a request; NULL when there is none. */
struct json_doc *front_find(struct front *front, struct gvr gvr, struct key key);

/* front_faults.c: the handler of the front. */
MUST_USE struct error *front_serve(void *front, struct http_request *http);
