/*
 * Reads through a connection: from caches, or from the server for kinds in options.uncached.
 *
 * Every read has the timeout of a request, which covers the lookup of the kind and the first sync
 * of its cache. The connection may end while a read waits: then the error is ERROR_NOT_CONNECTED,
 * whatever the wait itself returned.
 */
#include "async/fiber.h"
#include "base/array.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clustercache/cluster_connection_caches.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"

static bool is_uncached(const struct cluster_connection *connection, struct gvk gvk)
{
    const struct clustercache_options *options = &connection->config->options;
    for (size_t i = 0; i < options->uncached_count; i++)
        if (gvk_eq(options->uncached[i], gvk))
            return true;
    return false;
}

/* The error of a read whose wait for the cache failed, in the words of controller-runtime. */
static struct error *not_synced(const struct cluster_connection *connection, struct gvk gvk,
                                struct error *err)
{
    if (!cluster_connection_is_connected(connection)) {
        error_free(err);
        return clustercache_not_connected();
    }
    if (!error_is(err, ERROR_DEADLINE))
        return err;
    error_free(err);
    return error_new(ERROR_TIMEOUT, "failed waiting for %.*s Informer to sync", STR_ARG(gvk.kind));
}

/* Suspends until the cache of a kind is synced. */
static struct error *get_synced(struct cluster_connection *connection, struct gvk gvk,
                                struct cache **ret_cache)
{
    struct cache *cache;
    if (!cluster_connection_is_connected(connection))
        return clustercache_not_connected();
    TRY(cluster_connection_caches_get(connection->caches, gvk, &cache));
    struct error *err = cache_wait_synced(cache);
    if (err || !cluster_connection_is_connected(connection))
        return not_synced(connection, gvk, err);
    *ret_cache = cache;
    return NULL;
}

/* The resource of a kind that is read from the server. Suspends. */
static struct error *find_live(struct cluster_connection *connection, struct arena *arena,
                               struct gvk gvk, struct gvr *ret_gvr)
{
    struct discovery_mapping mapping;
    if (!cluster_connection_is_connected(connection))
        return clustercache_not_connected();
    TRY(discovery_find_kind(connection->discovery, arena, gvk, &mapping));
    *ret_gvr = mapping.gvr;
    return NULL;
}

struct error *cluster_connection_get(struct cluster_connection *connection, struct gvk gvk,
                                     struct key key, struct object **ret_object)
{
    struct cache *cache = NULL;
    FIBER_TIMEOUT(connection->config->options.timeout);
    if (is_uncached(connection, gvk)) {
        SCOPED(arena) arena = {0};
        struct gvr gvr = {0};
        TRY(find_live(connection, &arena, gvk, &gvr));
        return client_get(connection->client, gvr, key, NULL, ret_object);
    }
    TRY(get_synced(connection, gvk, &cache));
    OWNED(object_text) text = cache_get_text(cache, key);
    if (!text)
        return error_new(ERROR_NOT_FOUND, "%.*s \"%.*s\" not found", STR_ARG(gvk.kind),
                         STR_ARG(key.name));
    return object_text_read(text, ret_object);
}

/*
 * References to the objects of a list. They are collected first, so that a visit may suspend while
 * the cache changes.
 */
struct texts {
    struct object_text **items;
    size_t count, capacity;
};

static void texts_done(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        object_text_free(texts->items[i]);
    mem_free(texts->items);
}

static bool keep_text(void *data, struct object_text *text)
{
    struct texts *texts = data;
    ARRAY_PUSH(texts->items, texts->count, texts->capacity, object_text_ref(text));
    return true;
}

static struct error *visit_all(const struct texts *texts, cluster_connection_visit_fn *visit,
                               void *data)
{
    for (size_t i = 0; i < texts->count; i++) {
        OWNED(object) object = NULL;
        TRY(object_text_read(texts->items[i], &object));
        if (!visit(data, object))
            return NULL;
    }
    return NULL;
}

struct live_list {
    cluster_connection_visit_fn *visit;
    void *data;
    bool is_over; /* the visit function returned false */
};

/* Cannot stop a list that is being read, so the rest of the objects is skipped. */
static struct error *visit_live(void *data, struct object *object)
{
    struct live_list *list = data;
    list->is_over = list->is_over || !list->visit(list->data, object);
    return NULL;
}

static struct error *list_live(struct cluster_connection *connection, struct gvk gvk,
                               struct str namespace, struct live_list *list)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) version = {0};
    struct gvr gvr = {0};
    TRY(find_live(connection, &arena, gvk, &gvr));
    /* One page: a list that starts over after a 410 would visit objects twice. */
    const struct client_list_options options = {.limit = -1};
    const struct client_list_sink sink = {.each = visit_live, .data = list};
    return client_list_each(connection->client, gvr, namespace, &options, &sink, &version);
}

struct error *cluster_connection_list(struct cluster_connection *connection, struct gvk gvk,
                                      struct str namespace, cluster_connection_visit_fn *visit,
                                      void *data)
{
    SCOPED(texts) texts = {0};
    {
        struct cache *cache = NULL;
        FIBER_TIMEOUT(connection->config->options.timeout);
        if (is_uncached(connection, gvk))
            return list_live(connection, gvk, namespace, &(struct live_list){visit, data, false});
        TRY(get_synced(connection, gvk, &cache));
        cache_each(cache, namespace, keep_text, &texts);
    }
    return visit_all(&texts, visit, data);
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of a list and of an index */
struct error *cluster_connection_list_indexed(struct cluster_connection *connection, struct gvk gvk,
                                              struct str index, struct str value,
                                              cluster_connection_visit_fn *visit, void *data)
{
    SCOPED(texts) texts = {0};
    const struct clustercache_options *options = &connection->config->options;
    bool is_known = false;
    for (size_t i = 0; i < options->index_count; i++)
        is_known |= gvk_eq(options->indexes[i].gvk, gvk) && str_eq(options->indexes[i].name, index);
    if (!is_known)
        return error_new(ERROR_INVALID, "Index with name %.*s does not exist", STR_ARG(index));
    {
        struct cache *cache = NULL;
        FIBER_TIMEOUT(options->timeout);
        TRY(get_synced(connection, gvk, &cache));
        cache_each_indexed(cache, index, STR(""), value, keep_text, &texts);
    }
    return visit_all(&texts, visit, data);
}
