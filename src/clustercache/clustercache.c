/*
 * The face of the ClusterCache: its life, the controller it is driven by, and the calls of other
 * controllers. None of those calls suspends; they look up the accessor and answer from it.
 *
 * The controller has two watches: Clusters, filtered by the watch label, and kubeconfig Secrets of
 * clusters that it knows. clustercache_reconcile.c has the reconcile.
 *
 * At the end the order is: the controller stops (on_stopped cancels operations), the manager frees
 * the controller, clustercache_free() forgets every cluster and waits for the fibers that free
 * connections and accessors.
 */
#include "clustercache/clustercache.h"

#include <assert.h>

#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/discovery/discovery.h"
#include "clustercache/cluster_connection_caches.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/cluster_source.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/clustercache_log.h"
#include "clustercache/kubeconfig_secret.h"
#include "json/json.h"

#define WATCH_LABEL "cluster.x-k8s.io/watch-filter"

/* Between reconciles that events ask for. A requeue with a delay is not held back by it. */
#define SPACING SECOND

/* The private key of an accessor that is gone. clustercache_get_private_key() promises its life. */
struct old_key {
    struct list_link link;
    char *pem;
};

static bool passes_watch_filter(const struct clustercache *cache, const struct object_text *text)
{
    const struct str wanted = cache->config->options.watch_filter;
    OWNED(object) object = NULL;
    struct str value;
    if (!wanted.len)
        return true;
    OWNED(error) err = object_text_read(text, &object);
    return !err && object_find_label(object, STR(WATCH_LABEL), &value) && str_eq(value, wanted);
}

/* Filters events alone: a key that is requeued goes on being reconciled without the label. */
static bool has_watch_label(void *data, const struct cache_event *event)
{
    const struct object_text *text = event->now ? event->now : event->old;
    const struct key key = object_text_key(text);
    const bool passes = passes_watch_filter(data, text);
    if (!passes)
        log_v(4, "Resource does not match label, will not attempt to map resource",
              LOG_KEY("Cluster", key.namespace, key.name), LOG_STR("label", STR(WATCH_LABEL)));
    return passes;
}

static bool has_begun(const struct object *cluster, const char *what)
{
    bool is = false;
    return json_to_bool(object_path(cluster, what), &is) && is;
}

bool clustercache_is_provisioned(const struct object *cluster)
{
    return has_begun(cluster, "status.initialization.infrastructureProvisioned");
}

bool clustercache_is_initialized(const struct object *cluster)
{
    return has_begun(cluster, "status.initialization.controlPlaneInitialized");
}

/* True if an attempt to connect is due that was not due before. */
static bool has_become_ready(const struct accessor *accessor, const struct object_text *text)
{
    OWNED(object) cluster = NULL;
    if (!text || !accessor || accessor->connection || accessor->is_connecting ||
        (accessor->provisioned && accessor->was_initialized))
        return false;
    OWNED(error) err = object_text_read(text, &cluster);
    if (err || !clustercache_is_provisioned(cluster))
        return false;
    return !accessor->provisioned || clustercache_is_initialized(cluster);
}

/* What starts an attempt to connect is not held back by SPACING: it happens once. */
static void on_cluster(void *data, const struct cache_event *event, struct queue *queue,
                       int priority)
{
    const struct clustercache *cache = data;
    const struct key key = object_text_key(event->now ? event->now : event->old);
    if (has_become_ready(clustercache_find(cache, key), event->now))
        queue_add_after(queue, key, 0, priority);
    else
        queue_add(queue, key, priority);
}

/* An attempt that is under way, and finds another kubeconfig than this, is followed by another. */
static void on_secret(void *data, const struct cache_event *event, struct queue *queue,
                      int priority)
{
    const struct clustercache *cache = data;
    struct key cluster;
    if (!event->now || !kubeconfig_secret_cluster(object_text_key(event->now), &cluster))
        return;
    struct accessor *accessor = clustercache_find(cache, cluster);
    if (accessor && accessor->connection)
        queue_add(queue, cluster, priority);
    else if (accessor && !accessor->is_connecting && kubeconfig_secret_has_changed(accessor))
        queue_add_after(queue, cluster, 0, priority);
}

/* Operations still run when the controller has stopped; they must not queue keys any more. */
static void on_stopped(void *data)
{
    struct clustercache *cache = data;
    cache->queue = NULL;
    MAP_FOREACH (entry, &cache->accessors) {
        struct accessor *accessor = entry->value;
        scope_cancel(&accessor->operations);
    }
}

static void make_controller(struct clustercache *cache)
{
    const struct clustercache_options *options = &cache->config->options;
    const struct controller_options controller = {
        .name = STR("clustercache"),
        .reconcile = clustercache_reconcile,
        .data = cache,
        .workers = options->concurrency,
        .resync = options->resync,
        .queue = {.spacing = SPACING},
        .metrics = options->metrics,
        .stopped = on_stopped,
    };
    cache->controller = controller_new(cache->config->loop, &controller);
    cache->queue = controller_queue(cache->controller);
    controller_watch(
        cache->controller, options->clusters,
        &(struct controller_source){.filter = has_watch_label, .map = on_cluster, .data = cache});
    controller_watch(cache->controller, options->secrets,
                     &(struct controller_source){.map = on_secret, .data = cache});
}

struct clustercache *clustercache_new_idle(struct clustercache_config *config)
{
    struct clustercache *cache = NEW(struct clustercache);
    cache->config = config;
    cache->metrics = config->options.metrics;
    cache->handshakes.permits = config->options.handshakes;
    cache->known_handshakes.permits = config->options.handshakes;
    cache->slow_handshakes.permits = config->options.handshakes;
    list_init(&cache->sources);
    list_init(&cache->old_keys);
    clustercache_metrics_register(cache->metrics);
    return cache;
}

struct error *clustercache_new(struct loop *loop, const struct clustercache_options *options,
                               struct clustercache **ret_cache)
{
    TRY(clustercache_config_check(options));
    struct clustercache *cache = clustercache_new_idle(clustercache_config_new(loop, options));
    if (cache->config->has_own_pod)
        log_info("Found controller Pod metadata, the ClusterCache will try to access the cluster "
                 "it is running on directly if possible");
    else
        log_info("Couldn't find controller Pod metadata, the ClusterCache will always access the "
                 "cluster it is running on using the regular apiserver endpoint");
    make_controller(cache);
    *ret_cache = cache;
    return NULL;
}

static void old_key_free(struct old_key *key)
{
    mem_wipe(key->pem, strlen(key->pem));
    mem_free(key->pem);
    list_remove(&key->link);
    mem_free(key);
}

void clustercache_free(struct clustercache *cache)
{
    if (!cache)
        return;
    while (map_count(&cache->accessors))
        clustercache_forget(cache, map_first(&cache->accessors)->value);
    /* A fiber that frees an accessor may start another one that frees caches. */
    while (scope_running(&cache->endings))
        scope_done(&cache->endings);
    LIST_FOREACH (struct cluster_source, source, &cache->sources, link)
        cluster_source_free(source);
    LIST_FOREACH (struct old_key, key, &cache->old_keys, link)
        old_key_free(key);
    controller_free(cache->controller);
    cpu_gate_done(&cache->asking);
    map_done(&cache->accessors);
    buf_done(&cache->scratch);
    clustercache_config_free(cache->config);
    mem_free(cache);
}

struct controller *clustercache_take_controller(struct clustercache *cache)
{
    assert(cache->controller);
    return TAKE(cache->controller);
}

struct accessor *clustercache_find(const struct clustercache *cache, struct key cluster)
{
    struct buf *scratch = (struct buf *)&cache->scratch; /* memory that is reused, no state */
    buf_clear(scratch);
    buf_add(scratch, cluster.namespace);
    buf_add_char(scratch, '/');
    buf_add(scratch, cluster.name);
    return map_find(&cache->accessors, buf_str(scratch));
}

static struct error *end_accessor(void *data)
{
    accessor_free(data);
    return NULL;
}

void clustercache_forget(struct clustercache *cache, struct accessor *accessor)
{
    accessor_disconnect(accessor);
    clustercache_series_remove(accessor);
    accessor->is_gone = true;
    if (accessor->private_key) { /* a caller may still hold it */
        struct old_key *key = NEW(struct old_key);
        key->pem = TAKE(accessor->private_key);
        list_append(&cache->old_keys, &key->link);
    }
    (void)map_take(&cache->accessors, str_from_c(accessor->text));
    scope_start(&cache->endings, "end of an accessor", end_accessor, accessor);
}

/* Not held back by SPACING: an operation has ended, which is no storm of events. */
void clustercache_wake(const struct accessor *accessor)
{
    struct queue *queue = accessor->cache->queue;
    if (!accessor->is_gone && queue)
        queue_add_after(queue, accessor->key, 0, QUEUE_NORMAL);
}

struct error *clustercache_not_connected(void)
{
    return error_new(ERROR_NOT_CONNECTED, "connection to the workload cluster is down");
}

/*
 * False if the Cluster is gone or another one has its name, and the reconcile that will forget the
 * accessor has not had its turn: what is asked for the new Cluster must not reach the old one.
 */
static bool is_current(const struct accessor *accessor)
{
    struct cache *clusters = accessor->cache->config->options.clusters;
    if (!clusters) /* of an idle cache */
        return true;
    OWNED(object_text) now = cache_get_text(clusters, accessor->key);
    return now && str_eq(object_text_uid(now), str_from_c(accessor->uid));
}

static struct error *get_connection(const struct clustercache *cache, struct key cluster,
                                    const char *what, struct cluster_connection **ret_connection)
{
    const struct accessor *accessor = clustercache_find(cache, cluster);
    if (!accessor || !accessor->connection || !is_current(accessor))
        return error_wrap(clustercache_not_connected(), "error getting %s", what);
    *ret_connection = cluster_connection_ref(accessor->connection);
    return NULL;
}

struct error *clustercache_get_client(struct clustercache *cache, struct key cluster,
                                      struct cluster_connection **ret_connection)
{
    return get_connection(cache, cluster, "client", ret_connection);
}

struct error *clustercache_get_reader(struct clustercache *cache, struct key cluster,
                                      struct cluster_connection **ret_connection)
{
    return get_connection(cache, cluster, "client reader", ret_connection);
}

struct error *clustercache_get_uncached_client(struct clustercache *cache, struct key cluster,
                                               struct cluster_connection **ret_connection)
{
    return get_connection(cache, cluster, "uncached client", ret_connection);
}

struct error *clustercache_get_rest_config(struct clustercache *cache, struct key cluster,
                                           struct cluster_connection **ret_connection)
{
    return get_connection(cache, cluster, "REST config", ret_connection);
}

struct error *clustercache_get_private_key(struct clustercache *cache, struct key cluster,
                                           struct str *ret_pem)
{
    const struct accessor *accessor = clustercache_find(cache, cluster);
    if (!accessor)
        return error_new(ERROR_NOT_FOUND, "error getting client certificate private key: private "
                                          "key was not generated yet");
    *ret_pem = str_from_c(accessor->private_key);
    return NULL;
}

/* Records the name only on success, so that a watch whose start failed can be asked for again. */
static struct error *start_watch(struct cluster_connection *connection,
                                 const struct clustercache_watch *watch)
{
    clustercache_log(0, "Creating watch %.*s for %.*s", STR_ARG(watch->name),
                     STR_ARG(watch->gvk.kind));
    if (watch->start)
        TRY(watch->start(watch->data, connection));
    cluster_connection_caches_watch(connection->caches, watch);
    return NULL;
}

struct error *clustercache_watch(struct clustercache *cache, struct key cluster,
                                 const struct clustercache_watch *watch)
{
    LOG_CONTEXT(LOG_KEY("Cluster", cluster.namespace, cluster.name));
    const struct accessor *accessor = clustercache_find(cache, cluster);
    struct error *err = NULL;
    if (accessor && !watch->name.len)
        return error_new(ERROR_INVALID, "watcher.Name() cannot be empty");
    if (!accessor || !accessor->connection || !is_current(accessor))
        err = clustercache_not_connected();
    else if (cluster_connection_caches_has_watch(accessor->connection->caches, watch->name))
        clustercache_log(6, "Skip creation of watch %.*s for %.*s because it already exists",
                         STR_ARG(watch->name), STR_ARG(watch->gvk.kind));
    else
        err = start_watch(accessor->connection, watch);
    return error_wrap(err, "error creating watch %.*s for %.*s", STR_ARG(watch->name),
                      STR_ARG(watch->gvk.kind));
}

static int64_t or_zero(int64_t time)
{
    return time == REQUEUE_NEVER ? 0 : time;
}

struct clustercache_health clustercache_get_health(const struct clustercache *cache,
                                                   struct key cluster)
{
    const struct accessor *accessor = clustercache_find(cache, cluster);
    if (!accessor)
        return (struct clustercache_health){0};
    const struct accessor_health *health = &accessor->health;
    return (struct clustercache_health){
        .last_probe = or_zero(health->last_probe),
        .last_success = or_zero(health->last_success),
        .last_probe_wall = health->last_probe_wall,
        .last_success_wall = health->last_success_wall,
        .failures = health->failures,
        .is_connected = accessor->connection,
        .is_lost = !accessor->connection &&
                   accessor_health_is_lost(health, cache->config->options.timing.threshold),
        .problem = str_from_c(accessor->problem),
    };
}

duration clustercache_next_try(const struct clustercache *cache, struct key cluster)
{
    const struct accessor *accessor = clustercache_find(cache, cluster);
    if (!accessor || accessor->health.last_connect_error == REQUEUE_NEVER)
        return SECOND;
    const duration pause = accessor->retry ? accessor->retry : cache->config->options.timing.retry;
    const duration left =
        accessor->health.last_connect_error + pause - loop_now(cache->config->loop);
    return left > SECOND ? left : SECOND;
}

bool clustercache_knows(const struct clustercache *cache, struct key cluster)
{
    const struct accessor *accessor = clustercache_find(cache, cluster);
    return accessor && is_current(accessor);
}

static bool passes_filter(const struct clustercache *cache, const struct object_text *text)
{
    const struct clustercache_options *options = &cache->config->options;
    OWNED(object) cluster = NULL;
    if (!options->filter)
        return true;
    OWNED(error) unreadable = object_text_read(text, &cluster);
    return !unreadable && options->filter(options->filter_data, cluster);
}

/* Goes on as long as every Cluster is known or none of ours. */
static bool visit_known(void *data, struct object_text *text)
{
    struct clustercache *cache = data;
    cache->knows_all = clustercache_find(cache, object_text_key(text)) ||
                       !passes_watch_filter(cache, text) || !passes_filter(cache, text);
    return cache->knows_all;
}

bool clustercache_knows_all(struct clustercache *cache)
{
    struct cache *clusters = cache->config->options.clusters;
    if (cache->knows_all || !clusters)
        return true;
    if (!cache_is_synced(clusters))
        return false;
    cache->knows_all = true;
    cache_each(clusters, STR(""), visit_known, cache);
    return cache->knows_all;
}

void clustercache_visit(const struct clustercache *cache, clustercache_visit_fn *visit, void *data)
{
    MAP_FOREACH (entry, &cache->accessors)
        visit(data, ((const struct accessor *)entry->value)->key);
}

void clustercache_add_source(struct clustercache *cache, const struct clustercache_source *source)
{
    struct cluster_source *own = cluster_source_new(source, cache->source_count++);
    list_append(&cache->sources, &own->link);
}

void clustercache_on_probe(struct clustercache *cache, clustercache_probe_fn *fn, void *data)
{
    cache->on_probe = fn;
    cache->on_probe_data = data;
}

size_t clustercache_count(const struct clustercache *cache)
{
    return map_count(&cache->accessors);
}

size_t clustercache_connected(const struct clustercache *cache)
{
    return cache->connected;
}
