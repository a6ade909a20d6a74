#include "support/clustercache/clustercache_fake.h"

#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clustercache/cluster_connection_caches.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"
#include "net/network.h"
#include "net/tls.h"

static struct error *refuse_to_connect(struct network *network, struct str host, uint16_t port,
                                       struct transport **ret_transport)
{
    (void)network, (void)host, (void)port, (void)ret_transport;
    return error_new(ERROR_UNREACHABLE, "the fake ClusterCache was given no client");
}

/* Where clients are that nobody gave: whatever they try fails at once, in words. */
static const struct network_ops nowhere_ops = {.connect = refuse_to_connect};
static struct network nowhere = {.ops = &nowhere_ops};

static const struct rest_config nobody = {
    .host = STR_INIT("http://fake.invalid"),
    .server = {.scheme = URL_HTTP, .host = STR_INIT("fake.invalid"), .port = 80},
};

/* The same texts, references of its own. */
static struct rest_config borrow(const struct rest_config *config)
{
    struct rest_config copy = *config;
    copy.arena = (struct arena){0};
    copy.tls.trust = tls_trust_ref(config->tls.trust);
    copy.tls.identity = tls_identity_ref(config->tls.identity);
    return copy;
}

static void use_client(struct cluster_connection *connection, struct client *client)
{
    const struct clustercache_options *options = &connection->config->options;
    connection->client = client;
    connection->discovery =
        discovery_new(client, connection->config->pool,
                      &(struct discovery_options){.qps = options->qps, .burst = options->burst});
}

/* Of a watch that is known by its name alone: whoever had it started is not there. */
static struct error *start_nothing(void *data, struct cluster_connection *connection)
{
    (void)data, (void)connection;
    return NULL;
}

static void hold_kind(struct cluster_connection_caches *caches,
                      const struct clustercache_fake_kind *kind)
{
    struct cache_options options = cluster_connection_caches_options(caches, kind->gvk);
    /* Only a server knows the resource; the kind is good enough for logs. */
    options.gvr = (struct gvr){kind->gvk.group, kind->gvk.version, kind->gvk.kind};
    struct cache_set *set = cluster_connection_caches_set(caches);
    cluster_connection_caches_add(caches, kind->gvk,
                                  cache_set_hold(set, &options, kind->objects, kind->count));
}

static void fill_caches(struct cluster_connection_caches *caches,
                        const struct clustercache_fake_options *options)
{
    for (size_t i = 0; i < options->kind_count; i++)
        hold_kind(caches, &options->kinds[i]);
    for (size_t i = 0; i < options->watch_count; i++)
        cluster_connection_caches_watch(
            caches,
            &(struct clustercache_watch){.name = options->watches[i], .start = start_nothing});
}

static struct cluster_connection *make_connection(struct clustercache_config *config,
                                                  const struct clustercache_fake_options *options)
{
    struct rest_config rest = borrow(options->config ? options->config : &nobody);
    struct cluster_connection *connection = cluster_connection_new(config, options->cluster, &rest);
    if (options->client)
        use_client(connection, options->client);
    else
        cluster_connection_open(connection);
    connection->server_version = arena_str(&connection->rest.arena, options->server_version);
    connection->caches = cluster_connection_caches_new(connection);
    fill_caches(connection->caches, options);
    return connection;
}

static struct clustercache *make_cache(struct loop *loop, struct clustercache_options like)
{
    if (!like.network)
        like.network = &nowhere;
    return clustercache_new_idle(clustercache_config_new(loop, &like));
}

struct clustercache *clustercache_fake_new(struct loop *loop,
                                           const struct clustercache_fake_options *options)
{
    struct clustercache *cache = make_cache(loop, options->like);
    struct accessor *accessor = accessor_new(cache, options->cluster, STR(""));
    map_put(&cache->accessors, str_from_c(accessor->text), accessor);
    accessor->connection = make_connection(cache->config, options);
    cache->connected++;
    accessor_health_connected(&accessor->health, accessor_now(accessor));
    if (options->private_key.len)
        accessor->private_key = mem_dup(options->private_key.ptr, options->private_key.len);
    return cache;
}

struct clustercache *clustercache_fake_new_empty(struct loop *loop)
{
    return make_cache(loop, (struct clustercache_options){0});
}
