/*
 * One simulated run of a whole controller process against the real API server.
 *
 * Three parties on one loop in virtual time: the server behind a front that misbehaves, the
 * controller's process, which is killed and started anew, and simulated users, who edit,
 * delete and make Deployments ready. First there is trouble; then everything works, and within
 * ten minutes everything has to be as the Webs say. From then on nothing is written any more.
 *
 * All that happens depends on the seed alone. What happened is a trace; its hash is the run's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/storage/store.h"
#include "soak/controller/web.h"
#include "support/simulation/front.h"
#include "support/simulation/life.h"
#include "support/simulation/seeds.h"
#include "support/simulation/trace.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

struct queue;

#define KEY_DEFAULT(name) ((struct key){STR("default"), str_from_c(name)})

/* How a run is shaped. */
struct soak_profile {
    bool weather; /* the network has moods, and the server restarts */
    struct web_extras extras;
    duration trouble; /* how long all this lasts */
};

struct soak {
    uint64_t seed;
    struct soak_profile profile;
    struct random users_dice;
    struct trace trace;
    struct network *network;
    struct front front;

    /* The controller's process. */
    struct life life;
    struct web_counters counters;
    struct queue *queue; /* of its controller, once it runs */
};

/* simulated_users.c: fibers that edit objects and make Deployments ready. */
MUST_USE struct error *soak_edit(void *data);
MUST_USE struct error *soak_make_ready(void *data);
void soak_users_begin(struct soak *soak);
void soak_users_end(struct soak *soak); /* the state every run ends with */

/* process.c: one life of the controller; a fiber. */
MUST_USE struct error *soak_process(void *data);

/* check.c: what is not as it should be, NULL when all is well; and the objects without what differs
 * between runs. */
MUST_USE struct error *soak_check(struct soak *soak);
void soak_write_state(struct soak *soak, struct buf *out);

/* run.c */
seeds_run_fn soak_run;
