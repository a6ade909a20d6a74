/*
 * Caches by kind, their indexes, watches and resyncs.
 *
 * A kind gets its cache by the first read, watch or index: discovery maps the kind to a resource,
 * then a cache of the cache_set lists and watches it. Discovery suspends, so is_ended and the list
 * of kinds are looked at again after it.
 *
 * A watch whose kind the server does not have (a CRD that is installed later) is retried on a fiber
 * until it works or the connection ends.
 */
#include "clustercache/cluster_connection_caches.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"

/* Between attempts to attach a watch to a kind that the server does not have. */
#define ATTACH_RETRY (10 * SECOND)

struct kind {
    struct list_link link;
    struct gvk gvk; /* its strings are in texts */
    struct arena texts;
    struct cache *cache;
};

struct watcher {
    struct cluster_connection_caches *caches;
    struct clustercache_watch watch; /* the strings of kind and name are in texts */
    struct arena texts;
    struct cache_handler handler;
};

static void kind_free(struct kind *kind)
{
    list_remove(&kind->link);
    arena_done(&kind->texts);
    mem_free(kind);
}

static void watcher_release(void *value)
{
    struct watcher *watcher = value;
    arena_done(&watcher->texts);
    mem_free(watcher);
}

struct cluster_connection_caches *
cluster_connection_caches_new(struct cluster_connection *connection)
{
    struct cluster_connection_caches *caches = NEW(struct cluster_connection_caches);
    caches->references = 1;
    caches->config = clustercache_config_ref(connection->config);
    caches->connection = cluster_connection_ref(connection);
    caches->watches.release = watcher_release;
    list_init(&caches->kinds);
    return caches;
}

struct cluster_connection_caches *
cluster_connection_caches_ref(struct cluster_connection_caches *caches)
{
    caches->references++;
    return caches;
}

void cluster_connection_caches_free(struct cluster_connection_caches *caches)
{
    if (!caches || --caches->references > 0)
        return;
    LIST_FOREACH (struct kind, kind, &caches->kinds, link)
        kind_free(kind);
    map_done(&caches->watches);
    clustercache_config_free(caches->config);
    mem_free(caches);
}

/* On a fiber, because ending caches suspends and a disconnect must not. */
static struct error *free_caches(void *data)
{
    struct cluster_connection_caches *caches = data;
    scope_done(&caches->fibers);
    cache_set_free(TAKE(caches->set));
    cluster_connection_free(TAKE(caches->connection));
    cluster_connection_caches_free(caches);
    return NULL;
}

void cluster_connection_caches_end(struct cluster_connection_caches *caches, struct scope *endings)
{
    if (caches->is_ended)
        return;
    caches->is_ended = true;
    timer_stop(caches->config->loop, &caches->resync);
    scope_cancel(&caches->fibers);
    scope_start(endings, "end of caches", free_caches, cluster_connection_caches_ref(caches));
}

void cluster_connection_caches_move(struct cluster_connection_caches *caches,
                                    struct cluster_connection *connection)
{
    OWNED(cluster_connection) old = caches->connection;
    caches->connection = cluster_connection_ref(connection);
    if (!caches->set)
        return;
    client_offer_http2(connection->client);
    cache_set_use(caches->set, connection->client);
}

static void start_resync(struct cluster_connection_caches *caches);

static void on_resync(void *data)
{
    struct cluster_connection_caches *caches = data;
    LIST_FOREACH (struct kind, kind, &caches->kinds, link)
        cache_resync(kind->cache);
    start_resync(caches);
}

/* The period varies by a tenth either way, so that clusters do not resync at the same time. */
static void start_resync(struct cluster_connection_caches *caches)
{
    struct loop *loop = caches->config->loop;
    const duration period = caches->config->options.sync_period;
    const duration least = period - period / 10;
    const duration span = requeue_spread(loop_random(loop), least, 2.0 / 9);
    timer_start(loop, &caches->resync, loop_now(loop) + span, on_resync, caches);
}

static struct kind *find_kind(const struct cluster_connection_caches *caches, struct gvk gvk)
{
    LIST_FOREACH (struct kind, kind, &caches->kinds, link)
        if (gvk_eq(kind->gvk, gvk))
            return kind;
    return NULL;
}

struct cache_options
cluster_connection_caches_options(const struct cluster_connection_caches *caches, struct gvk gvk)
{
    const struct clustercache_options *options = &caches->config->options;
    struct cache_options found = {.transform = options->transform,
                                  .transform_data = options->transform_data};
    for (size_t i = 0; i < options->kind_count; i++) {
        if (!gvk_eq(options->kinds[i].gvk, gvk))
            continue;
        found = options->kinds[i].options;
        if (!found.transform) {
            found.transform = options->transform;
            found.transform_data = options->transform_data;
        }
    }
    return found;
}

struct cache_set *cluster_connection_caches_set(struct cluster_connection_caches *caches)
{
    if (!caches->set) {
        client_offer_http2(caches->connection->client);
        caches->set = cache_set_new(caches->config->loop, caches->connection->client);
        cache_set_name(caches->set, "Cluster", caches->connection->cluster);
        start_resync(caches);
    }
    return caches->set;
}

struct cache *cluster_connection_caches_add(struct cluster_connection_caches *caches,
                                            struct gvk gvk, struct cache *cache)
{
    const struct clustercache_options *options = &caches->config->options;
    struct kind *kind = NEW(struct kind);
    kind->gvk = gvk_copy(&kind->texts, gvk);
    kind->cache = cache;
    list_append(&caches->kinds, &kind->link);
    for (size_t i = 0; i < options->index_count; i++)
        if (gvk_eq(options->indexes[i].gvk, gvk))
            cache_add_index(cache, options->indexes[i].name, options->indexes[i].fn,
                            options->indexes[i].data);
    return cache;
}

/* The first cache also makes the client offer HTTP/2: watches share one connection then. */
static struct cache *begin_cache(struct cluster_connection_caches *caches, struct gvk gvk,
                                 struct gvr gvr)
{
    struct cache_options wanted = cluster_connection_caches_options(caches, gvk);
    wanted.gvr = gvr;
    return cluster_connection_caches_add(
        caches, gvk, cache_set_get(cluster_connection_caches_set(caches), &wanted));
}

struct error *cluster_connection_caches_get(struct cluster_connection_caches *caches,
                                            struct gvk gvk, struct cache **ret_cache)
{
    const struct kind *kind = find_kind(caches, gvk);
    if (caches->is_ended)
        return clustercache_not_connected();
    if (!kind) {
        SCOPED(arena) arena = {0};
        struct discovery_mapping mapping;
        OWNED(cluster_connection) connection = cluster_connection_ref(caches->connection);
        FIBER_TIMEOUT(caches->config->options.timeout);
        TRY(discovery_find_kind(connection->discovery, &arena, gvk, &mapping));
        if (caches->is_ended)
            return clustercache_not_connected();
        kind = find_kind(caches, gvk); /* another fiber may have started it meanwhile */
        *ret_cache = kind ? kind->cache : begin_cache(caches, gvk, mapping.gvr);
        return NULL;
    }
    *ret_cache = kind->cache;
    return NULL;
}

/* The errors have the texts of Cluster API; the cause is only logged. */
struct error *cluster_connection_caches_begin_indexes(struct cluster_connection_caches *caches)
{
    const struct clustercache_options *options = &caches->config->options;
    struct cache *cache;
    for (size_t i = 0; i < options->index_count; i++)
        TRY(cluster_connection_caches_get(caches, options->indexes[i].gvk, &cache),
            "error adding index for field \"%.*s\" to cache", STR_ARG(options->indexes[i].name));
    if (!caches->set)
        return NULL;
    FIBER_TIMEOUT(options->timing.sync_timeout);
    struct error *err = cache_set_wait_synced(caches->set);
    if (!err)
        return NULL;
    log_v(4, "Caches did not sync", LOG_ERROR(err));
    const bool is_late = error_is(err, ERROR_DEADLINE);
    error_free(err);
    return is_late ? error_new(ERROR_DEADLINE,
                               "error when waiting for cache to sync: context deadline exceeded")
                   : error_new(ERROR_CANCELED,
                               "error when waiting for cache to sync: context canceled");
}

bool cluster_connection_caches_has_watch(const struct cluster_connection_caches *caches,
                                         struct str name)
{
    return map_has(&caches->watches, name);
}

/* No handler is called for a connection that has ended, even if its caches still run. */
static void on_change(void *data, const struct cache_event *event)
{
    const struct watcher *watcher = data;
    const struct cluster_connection_caches *caches = watcher->caches;
    if (!caches->is_ended)
        watcher->watch.changed(watcher->watch.data, caches->connection->cluster, event);
}

/* Suspends until the server has the kind, or the connection ends. */
static struct error *attach_watch(void *data)
{
    struct watcher *watcher = data;
    struct cluster_connection_caches *caches = watcher->caches;
    /* The connection may be another one after each suspension; its key is the same. */
    SCOPED(arena) arena = {0};
    const struct key cluster = key_copy(&arena, caches->connection->cluster);
    LOG_CONTEXT(LOG_KEY("Cluster", cluster.namespace, cluster.name));
    while (!caches->is_ended) {
        struct cache *cache;
        OWNED(error) err = cluster_connection_caches_get(caches, watcher->watch.gvk, &cache);
        if (!err) {
            cache_add_handler(cache, &watcher->handler);
            return NULL;
        }
        if (caches->is_ended)
            return NULL;
        log_v(2, "Watch is tried again later", LOG_STR("watch", watcher->watch.name),
              LOG_ERROR(err));
        error_free(fiber_sleep(ATTACH_RETRY));
    }
    return NULL;
}

/* A watch with a start function is only recorded: it was started by its owner. */
void cluster_connection_caches_watch(struct cluster_connection_caches *caches,
                                     const struct clustercache_watch *watch)
{
    struct watcher *watcher = NEW(struct watcher);
    watcher->caches = caches;
    watcher->watch = *watch;
    watcher->watch.name = arena_str(&watcher->texts, watch->name);
    watcher->watch.gvk = gvk_copy(&watcher->texts, watch->gvk);
    watcher->handler = (struct cache_handler){.changed = on_change, .data = watcher};
    map_put(&caches->watches, watch->name, watcher);
    if (!watch->start)
        scope_start(&caches->fibers, "watch", attach_watch, watcher);
}
