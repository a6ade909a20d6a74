/*
 * One simulated run of a whole controller process against the real API server.
 *
 * Three parties on one loop in virtual time: the server behind a front that misbehaves, the
 * controller's process, which is killed and started anew, and the rest of the world, which edits,
 * deletes and makes Deployments ready. First there is trouble; then everything works, and within
 * ten minutes everything has to be as the Webs say. From then on nothing is written any more.
 *
 * All that happens depends on the seed alone. What happened is a trace; its hash is the run's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/api.h"
#include "apiserver/handler.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/random.h"
#include "client/kubeconfig.h"
#include "soak/web.h"
#include "store/store.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define SOAK_FRONT STR("server.test") /* where the controller connects to; has faults */
#define SOAK_BACK  STR("back.test")   /* the same server, always well */
#define SOAK_PORT  80

/* What all runs of a process share: costly to make, and no run changes it. */
struct soak_ground {
    struct access_keys *keys;
    struct rbac *base_rbac;
    struct custom_pool *pool;
};

void soak_ground_init(struct soak_ground *ground);
void soak_ground_done(struct soak_ground *ground);

/* Shares of requests and events that meet a fault, and how the run is shaped. */
struct soak_profile {
    double refused;         /* answered with 500, 503, 504, 429, 409 or 410 */
    double broken;          /* connection closed before the server saw the request */
    double lost;            /* the server did it, the answer does not arrive */
    double slow;            /* waits before it is looked at */
    double mangled;         /* of watches: the three below apply to its events */
    double duplicate;       /* comes twice */
    double delay;           /* comes later, and all behind it */
    double cut;             /* the stream ends instead */
    bool weather;           /* the network has moods, and the server restarts */
    size_t restarts;        /* of the controller */
    uint64_t restart_parks; /* a life's length is drawn up to this many suspensions */
    size_t history;         /* events the server remembers */
    struct web_extras extras;
    duration trouble; /* how long all this lasts */
};

struct soak {
    const struct soak_ground *ground;
    uint64_t seed;
    uint64_t restart_at; /* the one suspension at which the controller restarts; 0: by profile */
    bool verbose;
    struct soak_profile profile;
    bool in_trouble;

    /* The server. */
    struct network *network;
    struct api *api;
    struct handler handler;
    struct http_server *front, *back;
    struct http_client *direct; /* to the back */
    struct buf token;
    struct random fault_dice, world_dice, restart_dice;

    /* The controller's process. */
    struct rest_config config;
    struct web_counters counters;
    struct fiber *process; /* NULL while there is none */
    struct queue *queue;   /* of its controller, once it runs */
    size_t lives, restarts_left;
    uint64_t parks, next_restart; /* suspensions while there is one, and the last of its life */

    /* What the front has seen. */
    size_t requests, writes, reads; /* watches are requests alone */
    size_t active, watches;         /* under way now */

    /* The trace. */
    struct buf line;
    uint64_t hash;
};

/* A line of the trace, with the time in front. */
void soak_trace(struct soak *soak, const char *format, ...) PRINTF_LIKE(2, 3);

/* Draws. */
bool soak_chance(struct random *dice, double share);
duration soak_span(struct random *dice, duration most);

/* server.c. Suspend. */
void soak_server_open(struct soak *soak);
void soak_server_close(struct soak *soak);
void soak_front_open(struct soak *soak);
void soak_front_close(struct soak *soak);

/* A request to the back; gives the status. Fails the test when there is no answer. Suspends. */
int soak_call(struct soak *soak, const char *method, const char *target, const char *body);

/* A stored object, read without a request; NULL when there is none. */
struct json_doc *soak_find(struct soak *soak, struct gvr gvr, const char *name);

/* faults.c: how the front behaves, and the fiber that changes how the network does. */
void soak_profile_draw(struct soak *soak);
MUST_USE struct error *soak_front_serve(void *data, struct http_request *http);
MUST_USE struct error *soak_weather(void *data);
void soak_clear_sky(struct soak *soak);

/* world.c: somebody who edits, and whoever makes Deployments ready: fibers. */
MUST_USE struct error *soak_edit(void *data);
MUST_USE struct error *soak_make_ready(void *data);
void soak_world_begin(struct soak *soak);
void soak_world_end(struct soak *soak); /* the state every run ends with */

/* process.c: a fiber that keeps a controller running. The hook kills it. */
MUST_USE struct error *soak_supervise(void *data);
MUST_USE struct error *soak_on_park(void *data, const char *what);

/* check.c: what is not as it should be, NULL when all is well; and the objects without what differs
 * between runs. */
MUST_USE struct error *soak_check(struct soak *soak);
void soak_write_state(struct soak *soak, struct buf *out);

/* run.c: a whole run on a loop of its own. Fails the test when something is wrong. */
struct soak_result {
    uint64_t hash;
    uint64_t parks;
    duration took; /* from the end of the trouble until all was well */
    size_t requests, lives;
    struct buf state; /* the caller's */
};

struct soak_options {
    const struct soak_ground *ground;
    uint64_t seed;
    uint64_t restart_at;
    bool verbose;
};

void soak_run(const struct soak_options *options, struct soak_result *ret_result);
