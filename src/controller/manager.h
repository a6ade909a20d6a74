/*
 * A manager: starts and stops the parts of a controller process in order, like
 * controller-runtime's.
 *
 * Start: health and diagnostics servers, caches, runnables, leader election if there is one,
 * controllers. Stop: in reverse order, within a grace period. Losing the leadership ends the
 * manager; the guard of the client (leader.h) keeps the controllers from writing while they stop.
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
    struct client *client;    /* for reviews by diagnostics; must not have may_write set */
    struct cache_set *caches; /* synced before runnables and controllers start; NULL: none */
    struct metrics *metrics;
    struct network *network;

    struct str health_host; /* /healthz and /readyz over plain HTTP; empty: none */
    uint16_t health_port;
    struct str diagnostics_host; /* /metrics and /debug; empty: none */
    uint16_t diagnostics_port;
    bool insecure_diagnostics; /* plain HTTP without authentication */

    struct leader *leader; /* the manager takes it; NULL: no leader election */
    duration sync_timeout; /* for all caches at the start; 0 means 5 min */
    duration grace;        /* for stopping; 0 means 30 s */
};

struct manager *manager_new(struct loop *loop, const struct manager_options *options);
void manager_free(struct manager *manager);
DEFINE_OWNED(manager)

/* The manager takes the controller and runs it once this process leads. */
void manager_add_controller(struct manager *manager, struct controller *controller);

/*
 * Adds a function that runs whether this process leads or not, until it is cancelled. Its return
 * ends the manager if it is an error. The name must outlive the manager.
 */
void manager_add_runnable(struct manager *manager, const char *name, fiber_fn fn, void *data);

/* The ports that the servers listen on; 0 before manager_run(). */
uint16_t manager_health_port(const struct manager *manager);
uint16_t manager_diagnostics_port(const struct manager *manager);

/*
 * Runs until the fiber is cancelled, a part fails or the leadership is lost, then stops all parts.
 * Cancellation is a success, the others are errors. Suspends.
 */
MUST_USE struct error *manager_run(struct manager *manager);
