/*
 * Connecting, step by step: docs/clustercache.md has the table. A connection is complete before
 * anybody sees it, and one that exists is replaced by one that works.
 */
#include <assert.h>

#include "async/cpu_turn.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/timer.h"
#include "async/worker.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/kubeconfig_secret.h"
#include "clustercache/pod.h"
#include "clustercache/workload_internal.h"
#include "net/pki.h"

/* A cluster that has not answered by then does not keep others from connecting. */
#define PERMIT_MOST SECOND

/* How many may be in that state, in permits. */
#define HANGING_MOST 2

/* Of a step, in requests: a server may make us wait with Retry-After, but not for ever. */
#define STEPS_MOST 6

/*
 * The right to be connecting. It is given back after a while, whatever hangs, as long as not too
 * many hang: else it is this machine that is slow, and more at a time would make it worse.
 */
struct permit {
    struct accessor *accessor;
    struct semaphore *semaphore; /* NULL: given back */
    struct timer timer;
    bool hangs;
};

static void permit_done(struct permit *permit)
{
    timer_stop(permit->accessor->cache->config->loop, &permit->timer);
    permit->accessor->cache->hanging -= permit->hangs;
    permit->hangs = false;
    if (permit->semaphore)
        semaphore_give(TAKE(permit->semaphore));
}

static void permit_watch(struct permit *permit);

/* While handshakes wait for the processor nobody knows who is slow, and more would not help. */
static void on_slow(void *data)
{
    struct permit *permit = data;
    struct clustercache *cache = permit->accessor->cache;
    if (cpu_turn_is_awaited(cache->config->loop)) {
        permit_watch(permit);
        return;
    }
    permit->accessor->is_slow = true;
    if (cache->hanging >= HANGING_MOST * cache->config->options.handshakes) {
        permit_watch(permit);
        return;
    }
    permit->hangs = true;
    cache->hanging++;
    semaphore_give(TAKE(permit->semaphore));
}

static void permit_watch(struct permit *permit)
{
    struct loop *loop = permit->accessor->cache->config->loop;
    timer_start(loop, &permit->timer, loop_now(loop) + PERMIT_MOST, on_slow, permit);
}

/* Suspends until it is this cluster's turn. Those that were slow have turns of their own. */
static struct error *permit_take(struct permit *permit)
{
    struct accessor *accessor = permit->accessor;
    struct clustercache *cache = accessor->cache;
    struct semaphore *semaphore = accessor->is_slow ? &cache->slow_handshakes : &cache->handshakes;
    TRY(semaphore_take(semaphore));
    accessor->is_slow = false;
    permit->semaphore = semaphore;
    permit_watch(permit);
    return NULL;
}

/* Steps 6 to 9. The permit is given back once the cluster has answered. */
static struct error *open_client(struct permit *permit, struct workload *workload)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    log_v(6, "Creating HTTP client and mapper");
    workload_open(workload);
    TRY(workload_probe(workload, workload->config->options.timing.probe_timeout),
        "cluster is not reachable");
    permit_done(permit);
    FIBER_TIMEOUT(STEPS_MOST * workload->config->options.timeout);
    TRY(discovery_find_kind(workload->discovery, &arena, GVK("", "v1", "Node"), &mapping),
        "error getting REST mapping");
    return NULL;
}

/* Steps 11 and 12: a cluster this process runs on is asked directly. */
static struct error *use_own_cluster(struct accessor *accessor, struct workload *workload)
{
    bool is_on;
    SCOPED(permit) permit = {.accessor = accessor};
    FIBER_TIMEOUT(STEPS_MOST * workload->config->options.timeout);
    log_v(6, "Detect if controller is running on the cluster");
    TRY(pod_is_on(workload, &is_on), "error checking if we're running on workload cluster");
    if (!is_on)
        return NULL;
    log_v(6, "Controller is running on the cluster, updating REST config with in-cluster config");
    TRY(kubeconfig_use_in_cluster_server(&workload->rest, NULL),
        "error getting in-cluster REST config");
    TRY(permit_take(&permit));
    TRY(open_client(&permit, workload),
        "error creating HTTP client and mapper (using in-cluster config)");
    return NULL;
}

/* Steps 1 to 12. */
static struct error *make(struct accessor *accessor, struct kubeconfig_secret_mark *mark,
                          struct workload **ret_workload)
{
    struct clustercache_config *config = accessor->cache->config;
    SCOPED(rest_config) rest = {0};
    SCOPED(permit) permit = {.accessor = accessor};
    TRY(permit_take(&permit));
    log_v(6, "Creating REST config");
    TRY(cpu_turn_take()); /* YAML and certificates are read: this takes as long as a handshake */
    TRY(kubeconfig_secret_read(accessor, mark, &rest));
    OWNED(workload) workload = workload_new(config, accessor->key, &rest);
    TRY(open_client(&permit, workload), "error creating HTTP client and mapper");
    log_v(6, "Creating uncached client");
    TRY(use_own_cluster(accessor, workload));
    *ret_workload = TAKE(workload);
    return NULL;
}

struct key_job {
    struct buf pem;
    struct error *err;
};

static void make_key(void *data)
{
    struct key_job *job = data;
    job->err = pki_rsa_key(&job->pem);
}

/* Once per accessor, on a worker thread. Suspends. */
static struct error *make_private_key(struct accessor *accessor)
{
    if (!accessor->cache->config->options.private_keys || accessor->private_key)
        return NULL;
    struct key_job job = {.pem = {.secret = true}};
    struct error *err = worker_run(make_key, &job, NULL);
    err = err ? err : job.err;
    if (!err)
        accessor->private_key = buf_take(&job.pem);
    buf_done(&job.pem);
    return error_wrap(err, "error creating client certificate private key");
}

static bool may_move(const struct accessor *accessor, const struct workload *workload)
{
    return accessor->workload && workload_is_same_server(accessor->workload, workload);
}

static struct error *create(struct accessor *accessor, struct kubeconfig_secret_mark *mark,
                            struct workload **ret_workload)
{
    OWNED(workload) workload = NULL;
    log_v(6, "Creating connection");
    TRY(make(accessor, mark, &workload));
    TRY(make_private_key(accessor));
    struct error *err = NULL;
    if (!may_move(accessor, workload)) {
        log_v(6, "Creating cached client and cache");
        err = workload_begin_caches(workload);
    }
    if (err) /* what has begun must end */
        workload_end(workload, &accessor->cache->endings);
    else
        *ret_workload = TAKE(workload);
    return err;
}

static void fail(struct accessor *accessor, const struct error *err, duration took)
{
    const struct accessor_moment moment = accessor_now(accessor);
    if (accessor->workload) {
        accessor->last_change_error = moment.now;
        log_error("Changed credentials are of no use, the connection stays as it is",
                  LOG_ERROR(err), LOG_DURATION("duration", took));
        return;
    }
    log_error("Connect failed", LOG_ERROR(err), LOG_DURATION("duration", took));
    accessor_health_connect_failed(&accessor->health, moment);
    clustercache_series_up(accessor, false);
    accessor->news = ACCESSOR_CONNECT_FAILED;
}

/* A connection that works takes its place. Suspends, but only when all of that is done. */
static void publish(struct accessor *accessor, struct workload *workload, duration took)
{
    OWNED(workload) old = accessor->workload;
    const bool moves = !workload->caches;
    accessor->workload = workload_ref(workload);
    accessor->cache->connected += !old;
    accessor->last_change_error = REQUEUE_NEVER;
    accessor_health_connected(&accessor->health, accessor_now(accessor));
    clustercache_series_up(accessor, true);
    accessor->is_connecting = false;
    if (moves) {
        log_info("Connected with changed credentials", LOG_DURATION("duration", took));
        workload_take_over(workload, old);
        return;
    }
    if (old)
        workload_end(old, &accessor->cache->endings);
    accessor->did_connect = true; /* also of another server: watches are to be asked for anew */
    log_info("Connected", LOG_DURATION("duration", took));
}

static struct error *run(void *data)
{
    struct accessor *accessor = data;
    LOG_CONTEXT(LOG_STR("controller", STR("clustercache")),
                LOG_KEY("Cluster", accessor->key.namespace, accessor->key.name));
    struct loop *loop = accessor->cache->config->loop;
    const int64_t begun = loop_now(loop);
    SCOPED(kubeconfig_secret_mark) mark = {0};
    OWNED(workload) workload = NULL;
    log_v(4, "Connecting");
    OWNED(error) err = create(accessor, &mark, &workload);
    if (accessor->is_gone || fiber_is_canceled(fiber_current())) {
        if (workload)
            workload_end(workload, &accessor->cache->endings);
        return NULL;
    }
    if (!workload) {
        fail(accessor, err, loop_now(loop) - begun);
        accessor->is_connecting = false;
    } else {
        assert(workload);
        kubeconfig_secret_mark_done(&accessor->secret);
        accessor->secret = mark;
        mark = (struct kubeconfig_secret_mark){0};
        publish(accessor, workload, loop_now(loop) - begun);
    }
    clustercache_wake(accessor);
    return NULL;
}

void accessor_start_connect(struct accessor *accessor)
{
    accessor->is_connecting = true;
    scope_start(&accessor->operations, "connect", run, accessor);
}
