/*
 * A manager: starts and stops the parts of a controller process in order.
 *
 * Start: health and metrics servers, caches, parts that always run, leadership if it is asked for,
 * controllers. Stop: in reverse, within a grace period. A process that loses its leadership stops
 * at once: nothing of it writes any more before another leader may begin.
 */
#pragma once

#include <stdint.h>

#include "async/loop.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct cache_set;
struct client;
struct controller;
struct leader;
struct manager;
struct metrics;
struct network;

struct manager_options {
    struct client *client; /* for reviews of who reads diagnostics: must always be free to write */
    struct cache_set *caches; /* synced before anything runs; NULL: none */
    struct metrics *metrics;
    struct network *network;

    struct str health_host; /* /healthz and /readyz over plain HTTP; empty: none */
    uint16_t health_port;
    struct str diagnostics_host; /* /metrics and /debug; empty: none */
    uint16_t diagnostics_port;
    bool insecure_diagnostics; /* plain HTTP for everybody, instead of TLS and TokenReview */

    struct leader *leader; /* taken; NULL: runs without an election */
    duration sync_timeout; /* of caches at start; 0 means 5 min */
    duration grace;        /* of a stop; 0 means 30 s */
};

struct manager *manager_new(struct loop *loop, const struct manager_options *options);
void manager_free(struct manager *manager);
DEFINE_OWNED(manager)

/* Taken. Started once this process leads. */
void manager_add_controller(struct manager *manager, struct controller *controller);

/*
 * A function that runs as long as the process, leading or not, until it is cancelled. The name must
 * outlive the manager.
 */
void manager_add_runnable(struct manager *manager, const char *name, fiber_fn fn, void *data);

/* Once it runs; 0 before. */
uint16_t manager_health_port(const struct manager *manager);
uint16_t manager_diagnostics_port(const struct manager *manager);

/*
 * Runs until the calling fiber is cancelled, which is success once everything has stopped, or a
 * part fails or leadership is lost, which are errors. Suspends.
 */
MUST_USE struct error *manager_run(struct manager *manager);
