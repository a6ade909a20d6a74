#include "clustercache/clustercache_static.h"

#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"

struct clustercache *clustercache_static_new(struct loop *loop,
                                             const struct clustercache_options *options)
{
    return clustercache_new_idle(clustercache_config_new(loop, options));
}

/* Nothing ends that a log should tell of: the connections were the command's own. */
void clustercache_static_free(struct clustercache *cache)
{
    if (!cache)
        return;
    MAP_FOREACH (entry, &cache->accessors) {
        struct accessor *accessor = entry->value;
        if (accessor->connection)
            cluster_connection_end(accessor->connection, &cache->endings);
        cluster_connection_free(TAKE(accessor->connection));
    }
    cache->connected = 0;
    clustercache_free(cache);
}

static struct accessor *add_accessor(struct clustercache *cache, struct key cluster)
{
    struct accessor *accessor = accessor_new(cache, cluster, STR(""));
    map_put(&cache->accessors, str_from_c(accessor->text), accessor);
    return accessor;
}

void clustercache_static_add(struct clustercache *cache, struct key cluster,
                             struct rest_config *config)
{
    struct accessor *accessor = add_accessor(cache, cluster);
    accessor->connection = cluster_connection_new(cache->config, cluster, config);
    cluster_connection_open(accessor->connection);
    cache->connected++;
}

void clustercache_static_add_lost(struct clustercache *cache, struct key cluster,
                                  const struct error *why)
{
    accessor_set_problem(add_accessor(cache, cluster), why);
}

struct error *clustercache_static_begin_caches(struct clustercache *cache, struct key cluster)
{
    return cluster_connection_begin_caches(clustercache_find(cache, cluster)->connection);
}

void clustercache_static_set_health(struct clustercache *cache, struct key cluster,
                                    const struct clustercache_health *health)
{
    struct accessor *accessor = clustercache_find(cache, cluster);
    accessor->health.last_probe_wall = health->last_probe_wall;
    accessor->health.last_success_wall = health->last_success_wall;
    accessor->health.failures = health->failures;
}
