/*
 * A controller: watched caches that put keys into a queue, and workers that reconcile these keys.
 * It follows controller-runtime's Controller, with the same metrics and log lines.
 *
 *     const struct controller_options options = {.name = STR("web"), .reconcile = reconcile_web};
 *     struct controller *controller = controller_new(loop, &options);
 *     controller_watch(controller, cache, &(struct controller_source){.map = map_owner});
 *     manager_add_controller(manager, controller);
 */
#pragma once

#include "apimachinery/key.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "controller/cache/cache.h"
#include "controller/queue.h"

struct controller;
struct metrics;

/* The result of a reconcile. Zero: the key is done. */
struct reconcile_result {
    bool requeue;           /* reconcile again after the back-off of failures */
    duration requeue_after; /* reconcile again after this time; 0: no */
    bool is_terminal;       /* with an error: it is counted and logged, but not retried */
    bool is_told;           /* with an error: it is counted, but was logged before */
};

/*
 * Reconciles one key. May suspend, up to the deadline of the controller. An error is counted and
 * logged, and the key is retried with back-off. A key is never reconciled by two workers at once.
 */
typedef struct error *reconcile_fn(void *data, struct key key, struct reconcile_result *ret_result);

struct controller_options {
    struct str name;
    reconcile_fn *reconcile;
    void *data;
    size_t workers;    /* maximum of concurrent reconciles; 0 means 1 */
    duration deadline; /* of one reconcile; 0 means 1 min */
    duration resync;   /* every key again within this period; 0: never */

    /* A reconcile that takes longer than this waits for somebody, and no longer counts as a worker:
     * another one takes its place, up to half as many again as options.workers. 0: it counts. */
    duration patience;

    struct queue_options queue; /* name, metrics and workers are filled in */
    struct metrics *metrics;

    /* Called once after controller_run(), when no reconcile is running. Fibers that feed the queue
     * must be stopped here. NULL: nothing to do. */
    void (*stopped)(void *data);
};

struct controller *controller_new(struct loop *loop, const struct controller_options *options);
void controller_free(struct controller *controller); /* must not be running */
DEFINE_OWNED(controller)

struct queue *controller_queue(struct controller *controller);
struct str controller_name(const struct controller *controller);

/* Returns false for an event that must be ignored. */
typedef bool controller_filter_fn(void *data, const struct cache_event *event);

/* Calls queue_add() for each key that an event concerns. Must not suspend. */
typedef void controller_map_fn(void *data, const struct cache_event *event, struct queue *queue,
                               int priority);

struct controller_source {
    controller_filter_fn *filter; /* NULL: every event passes */
    controller_map_fn *map;       /* NULL: adds the key of the object itself */
    void *data;
};

/* Called before controller_run(). The cache must outlive the run. source may be NULL. */
void controller_watch(struct controller *controller, struct cache *cache,
                      const struct controller_source *source);

/*
 * Waits until the watched caches are synced, then runs workers until the fiber is cancelled, and
 * returns ERROR_CANCELED. Running reconciles are cancelled and joined before. Suspends.
 */
MUST_USE struct error *controller_run(struct controller *controller);

/*
 * A map function that adds the controlling owner of the object, before and after the change. data
 * is a struct controller_owner; owners of another group or kind are ignored.
 */
struct controller_owner {
    struct str group, kind;
    bool is_cluster_scoped;
};
controller_map_fn controller_map_owner;
