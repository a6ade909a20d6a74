/*
 * A controller: sources that note keys, a queue, and workers that reconcile one key at a time.
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

/* What became of a key. Zero: done. */
struct reconcile_result {
    bool requeue;           /* again, after the back-off of failures */
    duration requeue_after; /* again, after this; 0: no */
    bool is_terminal;       /* of an error: trying again cannot help; it is counted, not repeated */
};

/*
 * Brings one key towards what is wanted. Suspends; its deadline is the controller's. An error is
 * counted, logged and leads to a repetition with back-off.
 */
typedef struct error *reconcile_fn(void *data, struct key key, struct reconcile_result *ret_result);

struct controller_options {
    struct str name;
    reconcile_fn *reconcile;
    void *data;
    size_t workers;             /* at a time, made when they are needed; 0 means 1 */
    duration deadline;          /* of one reconcile; 0 means 1 min */
    duration resync;            /* every object again, spread over this period; 0: never */
    struct queue_options queue; /* name and metrics are filled in */
    struct metrics *metrics;

    /* After a run, when no reconcile is left: who has work of its own for the queue ends it. */
    void (*stopped)(void *data);
};

struct controller *controller_new(struct loop *loop, const struct controller_options *options);
void controller_free(struct controller *controller); /* stopped */
DEFINE_OWNED(controller)

struct queue *controller_queue(struct controller *controller);
struct str controller_name(const struct controller *controller);

/* Lets an event through. */
typedef bool controller_filter_fn(void *data, const struct cache_event *event);

/* Notes keys for an event: calls queue_add() for each. Neither suspends nor fails. */
typedef void controller_map_fn(void *data, const struct cache_event *event, struct queue *queue,
                               int priority);

struct controller_source {
    controller_filter_fn *filter; /* NULL: everything */
    controller_map_fn *map;       /* NULL: the key of the object itself */
    void *data;
};

/* Before it is started. The cache outlives the controller's run; source may be NULL. */
void controller_watch(struct controller *controller, struct cache *cache,
                      const struct controller_source *source);

/*
 * Waits until the caches are synced, then runs workers until it is cancelled: ERROR_CANCELED.
 * Running reconciles are cancelled with it and joined. Suspends.
 */
MUST_USE struct error *controller_run(struct controller *controller);

/*
 * Ready-made filters and maps. A resync is an update without a change and passes through the
 * source's filter like any other event.
 */

/* The owner with "controller": true, before and after the change. data is a controller_owner. */
struct controller_owner {
    struct str group, kind;
    bool is_cluster_scoped;
};
controller_map_fn controller_map_owner;
