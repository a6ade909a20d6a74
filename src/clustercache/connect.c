/*
 * The connect operation. docs/clustercache.md, "Connecting", has its steps as a table.
 *
 *     run_connect
 *       create_connection
 *         open_connection            Secret, kubeconfig, GET /, discovery, self-hosted check
 *         make_private_key           if the options ask for one
 *         ..._begin_caches           indexes, synced
 *       publish_connection           or note_failed_connect
 *
 * A connection is complete before callers can get it. If the accessor has a connection already, the
 * kubeconfig has changed: the old connection stays in use until the new one works.
 *
 * Permits limit how many clusters connect at a time, because TLS handshakes need the processor. A
 * cluster that hangs must not hold a permit, or a few dead clusters would keep all others from
 * connecting. So a permit is given back after PERMIT_MAX, or once the cluster has answered.
 */
#include "async/cpu_turn.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/timer.h"
#include "async/worker.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/kubeconfig_secret.h"
#include "clustercache/self_hosted.h"
#include "net/pki.h"

/*
 * How long a connect may hold its permit: with 64 permits, 900 clusters that never answer have had
 * their turn within 3 s. Far clusters take longer than this, and go on without a permit.
 */
#define PERMIT_MAX (200 * MILLISECOND)

/* How many connects may go on without a permit, as a multiple of the permits: each is a socket. */
#define HANGING_MAX 16

/* How long after its infrastructure is provisioned a cluster is new: tried more often. */
#define NEW_MAX (2 * MINUTE)

/* The limit of a step in timeouts of a request: a server may delay us with Retry-After. */
#define STEPS_MAX 6

/*
 * The right to connect. on_slow() gives it back while the connect goes on, unless many connects
 * hang at once: then this machine is slow rather than the clusters, and more connects would not
 * help.
 */
struct permit {
    struct accessor *accessor;
    struct semaphore *semaphore; /* where the permit came from; NULL: given back */
    struct timer timer;
    bool hangs; /* counted in cache->hanging */
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

/* While handshakes wait for the processor, it is unknown which cluster is slow: look again later.
 */
static void on_slow(void *data)
{
    struct permit *permit = data;
    struct clustercache *cache = permit->accessor->cache;
    if (cpu_turn_is_awaited(cache->config->loop)) {
        permit_watch(permit);
        return;
    }
    permit->accessor->is_slow = true;
    if (cache->hanging >= HANGING_MAX * cache->config->options.handshakes) {
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
    timer_start(loop, &permit->timer, loop_now(loop) + PERMIT_MAX, on_slow, permit);
}

/* Three lines: clusters that answered once do not wait behind others, and none behind slow ones. */
static struct semaphore *line_of(struct accessor *accessor)
{
    struct clustercache *cache = accessor->cache;
    if (accessor->is_slow)
        return &cache->slow_handshakes;
    return accessor->is_known ? &cache->known_handshakes : &cache->handshakes;
}

/* Suspends until a permit is free. */
static struct error *permit_take(struct permit *permit)
{
    struct accessor *accessor = permit->accessor;
    struct semaphore *semaphore = line_of(accessor);
    TRY(semaphore_take(semaphore));
    accessor->is_slow = false;
    permit->semaphore = semaphore;
    permit_watch(permit);
    return NULL;
}

/*
 * Client, first request, discovery. The permit is given back once the cluster has answered: what
 * follows waits for the network. Suspends.
 */
static struct error *open_client(struct permit *permit, struct cluster_connection *connection)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    log_v(6, "Creating HTTP client and mapper");
    cluster_connection_open(connection);
    TRY(cluster_connection_probe(connection, connection->config->options.timing.probe_timeout),
        "cluster is not reachable");
    permit_done(permit);
    FIBER_TIMEOUT(STEPS_MAX * connection->config->options.timeout);
    TRY(discovery_find_kind(connection->discovery, &arena, GVK("", "v1", "Node"), &mapping),
        "error getting REST mapping");
    return NULL;
}

/* Opens the client again, with the in-cluster address, if this process runs on the cluster.
 * Suspends. */
static struct error *use_in_cluster_server(struct accessor *accessor,
                                           struct cluster_connection *connection)
{
    bool is_self_hosted;
    SCOPED(permit) permit = {.accessor = accessor};
    FIBER_TIMEOUT(STEPS_MAX * connection->config->options.timeout);
    log_v(6, "Detect if controller is running on the cluster");
    TRY(self_hosted_check(connection, &is_self_hosted),
        "error checking if we're running on workload cluster");
    if (!is_self_hosted)
        return NULL;
    log_v(6, "Controller is running on the cluster, updating REST config with in-cluster config");
    const struct kubeconfig_in_cluster_options in_cluster = {
        .keep_pem = accessor->cache->config->options.keep_pem};
    TRY(kubeconfig_use_in_cluster_server(&connection->rest, &in_cluster),
        "error getting in-cluster REST config");
    TRY(permit_take(&permit));
    TRY(open_client(&permit, connection),
        "error creating HTTP client and mapper (using in-cluster config)");
    return NULL;
}

/*
 * A cluster that does not tell its UID now is asked again by who needs it: it can be connected to.
 * Suspends.
 */
static struct error *ask_identity(struct cluster_connection *connection)
{
    struct str uid;
    struct error *err = cluster_connection_cluster_uid(connection, &uid);
    if (!err || fiber_is_canceled(fiber_current()))
        return err;
    log_v(6, "Cannot read Namespace kube-system yet", LOG_ERROR(err));
    error_free(err);
    return NULL;
}

/* A connection without caches. Suspends. */
static struct error *open_connection(struct accessor *accessor, struct kubeconfig_secret_mark *mark,
                                     struct cluster_connection **ret_connection)
{
    struct clustercache_config *config = accessor->cache->config;
    SCOPED(rest_config) rest = {0};
    SCOPED(permit) permit = {.accessor = accessor};
    TRY(permit_take(&permit));
    log_v(6, "Creating REST config");
    TRY(kubeconfig_secret_read(accessor, mark, &rest));
    OWNED(cluster_connection) connection = cluster_connection_new(config, accessor->key, &rest);
    TRY(open_client(&permit, connection), "error creating HTTP client and mapper");
    log_v(6, "Creating uncached client");
    TRY(use_in_cluster_server(accessor, connection));
    TRY(ask_identity(connection));
    *ret_connection = TAKE(connection);
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

/* Once per accessor, on a worker thread, because an RSA key takes long to make. Suspends. */
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

/*
 * Caches move only between connections to one server and one cluster; else they are filled anew.
 * New credentials are often those of a cluster that was rebuilt behind its address. Suspends.
 */
static struct error *may_move_caches(const struct accessor *accessor,
                                     struct cluster_connection *connection, bool *ret_may)
{
    OWNED(cluster_connection)
    old = accessor->connection ? cluster_connection_ref(accessor->connection) : NULL;
    struct str uid = {0};
    *ret_may = old && cluster_connection_is_same_server(old, connection);
    if (!*ret_may || !old->uid.len)
        return NULL;
    TRY(cluster_connection_cluster_uid(connection, &uid), "error reading Namespace kube-system");
    *ret_may = accessor->connection == old && (!uid.len || str_eq(uid, old->uid));
    return NULL;
}

/* A connection that can be published: with caches, or one that takes over those there are. */
static struct error *create_connection(struct accessor *accessor,
                                       struct kubeconfig_secret_mark *mark,
                                       struct cluster_connection **ret_connection)
{
    OWNED(cluster_connection) connection = NULL;
    log_v(6, "Creating connection");
    TRY(open_connection(accessor, mark, &connection));
    TRY(make_private_key(accessor));
    bool may_move;
    TRY(may_move_caches(accessor, connection, &may_move));
    struct error *err = NULL;
    if (!may_move) {
        log_v(6, "Creating cached client and cache");
        err = cluster_connection_begin_caches(connection);
    }
    if (err) /* caches that were begun must be ended */
        cluster_connection_end(connection, &accessor->cache->endings);
    else
        *ret_connection = TAKE(connection);
    return err;
}

/* The kubeconfig that was used, so that another one is noticed. */
static void note_kubeconfig(struct accessor *accessor, struct kubeconfig_secret_mark *mark)
{
    kubeconfig_secret_mark_done(&accessor->secret);
    accessor->secret = *mark;
    *mark = (struct kubeconfig_secret_mark){0};
}

/* A cluster is new for a while, unless it was connected once. */
static bool is_new(const struct accessor *accessor, struct accessor_moment moment)
{
    return accessor->health.last_success == REQUEUE_NEVER &&
           moment.wall - accessor->provisioned < NEW_MAX;
}

/* Changed credentials that fail say nothing about the health of the connection in use. */
static void note_failed_connect(struct accessor *accessor, struct kubeconfig_secret_mark *mark,
                                const struct error *err, duration took)
{
    const struct accessor_moment moment = accessor_now(accessor);
    if (accessor->connection) {
        accessor->last_change_error = moment.now;
        log_error("Cannot connect with the changed credentials, keeping the current connection",
                  LOG_ERROR(err), LOG_DURATION("duration", took));
        return;
    }
    log_error("Connect failed", LOG_ERROR(err), LOG_DURATION("duration", took));
    accessor_health_connect_failed(&accessor->health, moment);
    accessor_set_problem(accessor, err);
    accessor->attempts += accessor->attempts < UINT32_MAX;
    accessor->retry = requeue_retry(is_new(accessor, moment), accessor->attempts,
                                    accessor->cache->config->options.timing.retry);
    note_kubeconfig(accessor, mark);
    clustercache_series_up(accessor, false);
    accessor->result = ACCESSOR_CONNECT_FAILED;
    if (is_new(accessor, moment) && error_is(err, ERROR_UNREACHABLE))
        accessor_start_knock(accessor);
}

/*
 * Puts a connection into the accessor, in place of the old one if there is one. Moving caches
 * suspends, so the state of the accessor is complete before that.
 */
static void publish_connection(struct accessor *accessor, struct cluster_connection *connection,
                               duration took)
{
    OWNED(cluster_connection) old = accessor->connection;
    const bool moves = !connection->caches;
    accessor->connection = cluster_connection_ref(connection);
    accessor->cache->connected += !old;
    accessor->last_change_error = REQUEUE_NEVER;
    accessor->retry = accessor->cache->config->options.timing.retry;
    accessor->is_slow = false; /* far away, perhaps, but it answers */
    accessor_health_connected(&accessor->health, accessor_now(accessor));
    accessor_set_problem(accessor, NULL);
    clustercache_series_up(accessor, true);
    accessor->is_connecting = false;
    if (moves) {
        log_info("Connected with changed credentials", LOG_DURATION("duration", took));
        cluster_connection_take_over(connection, old);
        return;
    }
    if (old)
        cluster_connection_end(old, &accessor->cache->endings);
    accessor->did_connect = true; /* also after a move to another server: watches are gone */
    log_info("Connected", LOG_DURATION("duration", took));
}

/* An accessor that is gone, or a cache that stops, has no use for the result. */
static struct error *run_connect(void *data)
{
    struct accessor *accessor = data;
    LOG_CONTEXT(LOG_STR("controller", STR("clustercache")),
                LOG_KEY("Cluster", accessor->key.namespace, accessor->key.name));
    struct loop *loop = accessor->cache->config->loop;
    const int64_t begun = loop_now(loop);
    SCOPED(kubeconfig_secret_mark) mark = {0};
    OWNED(cluster_connection) connection = NULL;
    log_v(4, "Connecting");
    OWNED(error) err = create_connection(accessor, &mark, &connection);
    if (accessor->is_gone || fiber_is_canceled(fiber_current())) {
        if (connection)
            cluster_connection_end(connection, &accessor->cache->endings);
        return NULL;
    }
    if (!connection) {
        note_failed_connect(accessor, &mark, err, loop_now(loop) - begun);
        accessor->is_connecting = false;
    } else {
        note_kubeconfig(accessor, &mark);
        publish_connection(accessor, connection, loop_now(loop) - begun);
    }
    clustercache_wake(accessor);
    return NULL;
}

void accessor_start_connect(struct accessor *accessor)
{
    accessor->is_connecting = true;
    scope_start(&accessor->operations, "connect", run_connect, accessor);
}
