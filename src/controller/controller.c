/*
 * How an event becomes a reconcile: a handler on each watched cache calls enqueue_event(), which
 * filters and maps the event to keys in the queue. Workers run process_keys(): take a key,
 * reconcile it (reconcile_key()), put it back if the result says so (requeue_key()).
 *
 * Workers are fibers of controller->fibers. They are started on demand: a worker that takes a key
 * starts another one if no worker is waiting, up to options.workers, and a worker ends if more than
 * IDLE_MAX others are waiting. So a controller with many workers needs few stacks while it is idle.
 * With options.patience a worker whose reconcile takes long is not counted: when all workers are
 * busy, relieve_workers() looks from time to time whether another one may be started.
 *
 * Log lines and their fields are those of controller-runtime where it has them.
 */
#include "controller/controller.h"

#include <assert.h>

#include "async/cpu_turn.h"
#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/random.h"
#include "controller/controller_metrics.h"

#define DEADLINE_DEFAULT MINUTE
#define RESYNC_STEPS     128 /* a period is divided into so many steps */
#define RESYNC_STEP_MIN  (10 * MILLISECOND)
#define IDLE_MAX         8 /* workers that wait for a key: each has a stack */

struct controller {
    struct loop *loop;
    struct controller_options options;
    char *name;
    struct queue *queue;
    struct controller_metrics metrics;
    struct list sources;
    struct scope fibers;
    struct cpu_gate gate;   /* in front of the queue, if it has parties */
    size_t workers, idle;   /* all workers, and those that wait for a key */
    struct error *err;      /* of a worker that had to end */
    struct event has_ended; /* a worker has set err */
    bool is_full;           /* a worker was wanted, and there were enough of them */
    struct event filled;    /* is_full was set */
    bool runs;
};

/* A cache of controller_watch(), with its handler. */
struct watched_cache {
    struct list_link link;
    struct controller *controller;
    struct cache *cache;
    struct controller_source source;
    struct cache_handler handler;
};

struct controller *controller_new(struct loop *loop, const struct controller_options *options)
{
    struct controller *controller = NEW(struct controller);
    controller->loop = loop;
    controller->options = *options;
    controller->name = mem_dup(options->name.ptr, options->name.len);
    controller->options.name = str_from_c(controller->name);
    if (!controller->options.workers)
        controller->options.workers = 1;
    if (!controller->options.deadline)
        controller->options.deadline = DEADLINE_DEFAULT;
    struct queue_options queue = options->queue;
    queue.name = controller->options.name;
    queue.metrics = options->metrics;
    queue.workers = controller->options.workers;
    controller->queue = queue_new(loop, &queue);
    controller_metrics_init(&controller->metrics, options->metrics, controller->options.name);
    metrics_set(controller->metrics.workers, (double)controller->options.workers);
    list_init(&controller->sources);
    return controller;
}

void controller_free(struct controller *controller)
{
    if (!controller)
        return;
    assert(!controller->runs);
    LIST_FOREACH (struct watched_cache, watched, &controller->sources, link)
        mem_free(watched);
    cpu_gate_done(&controller->gate);
    queue_free(controller->queue);
    controller_metrics_done(&controller->metrics);
    mem_free(controller->name);
    mem_free(controller);
}

struct queue *controller_queue(struct controller *controller)
{
    return controller->queue;
}

struct str controller_name(const struct controller *controller)
{
    return controller->options.name;
}

static void enqueue_self(const struct cache_event *event, struct queue *queue, int priority)
{
    queue_add(queue, object_text_key(event->now ? event->now : event->old), priority);
}

/* Initial objects and resyncs get a low priority, so that real changes do not wait behind them. */
static void enqueue_event(struct watched_cache *watched, const struct cache_event *event)
{
    const struct controller_source *source = &watched->source;
    const bool is_old_news = (event->type == CACHE_ADDED && event->is_initial) ||
                             (event->type == CACHE_UPDATED && event->is_unchanged);
    const int priority = is_old_news ? QUEUE_LOW : QUEUE_NORMAL;
    if (source->filter && !source->filter(source->data, event))
        return;
    if (source->map)
        source->map(source->data, event, watched->controller->queue, priority);
    else
        enqueue_self(event, watched->controller->queue, priority);
}

static void on_cache_event(void *data, const struct cache_event *event)
{
    enqueue_event(data, event);
}

void controller_watch(struct controller *controller, struct cache *cache,
                      const struct controller_source *source)
{
    static const struct controller_source everything;
    assert(!controller->runs);
    struct watched_cache *watched = NEW(struct watched_cache);
    watched->controller = controller;
    watched->cache = cache;
    watched->source = source ? *source : everything;
    watched->handler = (struct cache_handler){.changed = on_cache_event, .data = watched};
    list_append(&controller->sources, &watched->link);
}

/* One step of a resync: the keys whose hash falls into [from, to) of the period. */
struct resync {
    struct watched_cache *watched;
    uint64_t seed, period, from, to;
};

static bool resync_object(void *data, struct object_text *text)
{
    const struct resync *resync = data;
    const uint64_t at = key_hash(object_text_key(text), resync->seed) % resync->period;
    if (at >= resync->from && at < resync->to)
        enqueue_event(resync->watched,
                      &(struct cache_event){
                          .type = CACHE_UPDATED, .old = text, .now = text, .is_unchanged = true});
    return true;
}

/*
 * A fiber that enqueues every key once per period. The hash of a key decides at which moment of the
 * period, so that a resync does not enqueue all keys at once. Suspends until it is cancelled.
 */
static struct error *resync_all(void *data)
{
    struct controller *controller = data;
    const duration period = controller->options.resync;
    const duration share = period / RESYNC_STEPS;
    const duration step = share > RESYNC_STEP_MIN ? share : RESYNC_STEP_MIN;
    struct resync resync = {.seed = str_hash(controller->options.name, 0),
                            .period = (uint64_t)period};
    for (;;) {
        TRY(fiber_sleep(step));
        resync.to = resync.from + (uint64_t)step;
        LIST_FOREACH (struct watched_cache, watched, &controller->sources, link) {
            resync.watched = watched;
            cache_each(watched->cache, STR(""), resync_object, &resync);
        }
        resync.from = resync.to < resync.period ? resync.to : 0;
    }
}

/*
 * Puts a key back into the queue according to its result, in the order of controller-runtime: an
 * error or "requeue" counts as a failure of the key, requeue_after and success reset its back-off.
 */
static enum controller_outcome requeue_key(struct controller *controller,
                                           const struct queue_item *item, const struct error *err,
                                           const struct reconcile_result *result)
{
    struct queue *queue = controller->queue;
    if (err && !result->is_terminal) {
        queue_add_failed(queue, item->key, item->priority);
        return CONTROLLER_ERROR;
    }
    if (!err && result->requeue && !result->requeue_after) {
        queue_add_failed(queue, item->key, item->priority);
        return CONTROLLER_REQUEUE;
    }
    queue_forget(queue, item->key);
    if (err)
        return CONTROLLER_ERROR;
    if (!result->requeue_after)
        return CONTROLLER_SUCCESS;
    queue_add_after(queue, item->key, result->requeue_after, item->priority);
    return CONTROLLER_REQUEUE_AFTER;
}

/* An error after the deadline counts as a timeout, whatever its code. */
static void count_error(struct controller *controller, const struct error *err,
                        const struct reconcile_result *result, bool is_late)
{
    metrics_inc(controller->metrics.errors);
    if (result->is_terminal)
        metrics_inc(controller->metrics.terminal_errors);
    if (is_late)
        metrics_inc(controller->metrics.timeouts);
    if (result->is_told)
        log_v(2, "Reconciler error", LOG_ERROR(err));
    else
        log_error("Reconciler error", LOG_ERROR(err));
}

static struct error *call_reconcile(struct controller *controller, struct key key,
                                    struct reconcile_result *result)
{
    FIBER_TIMEOUT(controller->options.deadline);
    return controller->options.reconcile(controller->options.data, key, result);
}

/* Reconciles a key under the deadline, and counts and logs the result. Suspends. */
static void reconcile_key(struct controller *controller, const struct queue_item *item)
{
    char id[RANDOM_UUID_LEN + 1];
    LOG_CONTEXT(LOG_STR("controller", controller->options.name),
                LOG_STR("namespace", item->key.namespace), LOG_STR("name", item->key.name),
                LOG_STR("reconcileID", random_uuid(loop_random(controller->loop), id)));
    const int64_t begun = loop_now(controller->loop);
    struct reconcile_result result = {0};
    metrics_inc(controller->metrics.active);
    OWNED(error) err = call_reconcile(controller, item->key, &result);
    metrics_add(controller->metrics.active, -1);
    if (err && fiber_is_canceled(fiber_current()))
        return; /* the controller stops; the key has not failed */
    const duration took = loop_now(controller->loop) - begun;
    if (err)
        count_error(controller, err, &result, took >= controller->options.deadline);
    metrics_observe(controller->metrics.seconds, (double)took / SECOND);
    metrics_inc(controller->metrics.total[requeue_key(controller, item, err, &result)]);
}

static struct error *run_worker(void *data);

/* How many workers there may be now: those that have lost our patience are not counted. */
static size_t workers_allowed(struct controller *controller)
{
    const size_t workers = controller->options.workers;
    if (!controller->options.patience)
        return workers;
    const size_t slow = queue_held_longer(controller->queue, controller->options.patience);
    const size_t allowed = workers + (slow < workers / 2 ? slow : workers / 2);
    queue_set_workers(controller->queue, allowed);
    return allowed;
}

/* There are enough workers for now. */
static void note_full(struct controller *controller)
{
    controller->is_full = true;
    event_wake_one(&controller->filled);
}

/* Makes sure that one worker is waiting for the next key, if there may be another one. */
static void start_worker(struct controller *controller)
{
    if (controller->idle || fiber_is_canceled(fiber_current()))
        return;
    if (controller->workers >= controller->options.workers &&
        controller->workers >= workers_allowed(controller)) {
        note_full(controller);
        return;
    }
    controller->workers++;
    controller->idle++;
    scope_start(&controller->fibers, "worker", run_worker, controller);
}

/* A fiber that starts workers in place of those whose reconciles take long. Suspends. */
static struct error *relieve_workers(void *data)
{
    struct controller *controller = data;
    for (;;) {
        while (!controller->is_full)
            TRY(event_wait(&controller->filled, "all workers to be busy"));
        controller->is_full = false;
        TRY(fiber_sleep(controller->options.patience));
        start_worker(controller);
    }
}

/*
 * The loop of a worker. It is counted as idle at entry and at return, whichever way it returns.
 * Reconciles that never wait do not keep the thread: with 10,000 clusters, the first look at each
 * of them was one turn of 230 ms. Ends without an error if enough other workers are waiting, or if
 * it stood in for one that is no longer slow. Suspends.
 */
static struct error *process_keys(struct controller *controller)
{
    for (;;) {
        struct queue_item item;
        if (controller->options.queue.parties)
            TRY(cpu_gate_pass(&controller->gate));
        else
            TRY(fiber_yield_in_time());
        TRY(queue_take(controller->queue, &item));
        controller->idle--;
        start_worker(controller);
        reconcile_key(controller, &item);
        queue_done(controller->queue, &item);
        controller->idle++;
        if (controller->idle > IDLE_MAX && !queue_ready(controller->queue))
            return NULL;
        if (controller->workers > controller->options.workers &&
            controller->workers > workers_allowed(controller)) {
            note_full(controller);
            return NULL;
        }
    }
}

static struct error *run_worker(void *data)
{
    struct controller *controller = data;
    struct error *err = process_keys(controller);
    controller->idle--;
    controller->workers--;
    if (!err)
        return NULL;
    controller->err = error_join(controller->err, err);
    event_wake_all(&controller->has_ended);
    return NULL;
}

static struct error *wait_caches_synced(struct controller *controller)
{
    LIST_FOREACH (struct watched_cache, watched, &controller->sources, link)
        TRY(cache_wait_synced(watched->cache), "wait for the caches of controller %s",
            controller->name);
    return NULL;
}

/* Suspends until the fiber is cancelled or a worker has failed, then stops and joins all workers.
 */
static struct error *run_workers(struct controller *controller)
{
    struct error *err = NULL;
    log_info("Starting workers", LOG_STR("controller", controller->options.name),
             LOG_INT("worker count", controller->options.workers));
    start_worker(controller);
    if (controller->options.resync)
        scope_start(&controller->fibers, "resync", resync_all, controller);
    if (controller->options.patience)
        scope_start(&controller->fibers, "relief", relieve_workers, controller);
    while (!err && !controller->err)
        err = event_wait(&controller->has_ended, "the controller's end");
    if (!err)
        err = TAKE(controller->err);
    scope_done(&controller->fibers);
    return err;
}

/*
 * Handlers are added before the caches are synced and removed at the end, so the keys of initial
 * objects are in the queue when the first worker starts.
 */
struct error *controller_run(struct controller *controller)
{
    assert(!controller->runs);
    controller->runs = true;
    LIST_FOREACH (struct watched_cache, watched, &controller->sources, link)
        cache_add_handler(watched->cache, &watched->handler);
    struct error *err = wait_caches_synced(controller);
    if (!err)
        err = run_workers(controller);
    LIST_FOREACH (struct watched_cache, watched, &controller->sources, link)
        cache_remove_handler(watched->cache, &watched->handler);
    error_free(TAKE(controller->err)); /* of workers that were cancelled */
    controller->runs = false;
    if (controller->options.stopped)
        controller->options.stopped(controller->options.data);
    log_info("Stopped", LOG_STR("controller", controller->options.name));
    return err;
}
