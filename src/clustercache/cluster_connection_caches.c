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

#define ATTACH_RETRY (10 * SECOND)

struct kind {
    struct list_link link;
    struct gvk gvk; /* in texts */
    struct arena texts;
    struct cache *cache;
};

struct watcher {
    struct cluster_connection_caches *caches;
    struct clustercache_watch watch; /* kind and name in texts */
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

/* Its own fiber, since ending caches suspends and whoever disconnects does not wait. */
static struct error *tidy_up(void *data)
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
    scope_start(endings, "end of caches", tidy_up, cluster_connection_caches_ref(caches));
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

/* A tenth more or less, so that clusters do not resync together. */
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
    struct cache_options found = {.transform = options->transform};
    for (size_t i = 0; i < options->kind_count; i++) {
        if (!gvk_eq(options->kinds[i].gvk, gvk))
            continue;
        found = options->kinds[i].options;
        if (!found.transform)
            found.transform = options->transform;
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
            cache_add_index(cache, options->indexes[i].name, options->indexes[i].fn);
    return cache;
}

static struct cache *begin(struct cluster_connection_caches *caches, struct gvk gvk, struct gvr gvr)
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
        kind = find_kind(caches, gvk); /* somebody else may have been faster */
        *ret_cache = kind ? kind->cache : begin(caches, gvk, mapping.gvr);
        return NULL;
    }
    *ret_cache = kind->cache;
    return NULL;
}

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

static void on_change(void *data, const struct cache_event *event)
{
    const struct watcher *watcher = data;
    const struct cluster_connection_caches *caches = watcher->caches;
    if (!caches->is_ended)
        watcher->watch.changed(watcher->watch.data, caches->connection->cluster, event);
}

/* Suspends until the kind can be had, or the connection ends. */
static struct error *attach(void *data)
{
    struct watcher *watcher = data;
    struct cluster_connection_caches *caches = watcher->caches;
    /* Before the end there is always a connection, though not always the same. */
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
        scope_start(&caches->fibers, "watch", attach, watcher);
}
