/* Reading objects: from caches that know at least what we wrote, or from the server. */
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "controller/cache/cache_version.h"
#include "framework/framework_internal.h"

#define SWEEP_MIN 64

/* A write of ours that the cache may not have seen. */
struct written {
    struct cache *cache;
    char version[];
};

struct error *sight_find(struct framework *framework, struct arena *arena,
                         const struct graph_cluster *cluster, struct gvk gvk,
                         struct sight *ret_sight)
{
    const struct graph_cluster home = {framework->options.client, framework->options.discovery};
    struct discovery_mapping mapping;
    *ret_sight = (struct sight){.cluster = cluster ? *cluster : home};
    TRY(discovery_find_kind(ret_sight->cluster.discovery, arena, gvk, &mapping));
    ret_sight->gvr = mapping.gvr;
    ret_sight->namespaced = mapping.namespaced;
    if (!cluster)
        ret_sight->cache = map_find(&framework->caches, framework_kind_name(arena, gvk));
    return NULL;
}

static void add_key(struct buf *out, const struct sight *sight, struct key key)
{
    buf_print(out, "%.*s.%.*s %.*s/%.*s", STR_ARG(sight->gvr.resource), STR_ARG(sight->gvr.group),
              STR_ARG(key.namespace), STR_ARG(key.name));
}

/* Versions that cannot be compared are never known: the server is asked then. */
static bool is_known(const struct written *written)
{
    int order;
    return cache_version_cmp(cache_resource_version(written->cache), str_from_c(written->version),
                             &order) &&
           order >= 0;
}

/* What caches know by now is of no use; only what they do not is kept, so the map stays small. */
static void sweep(struct framework *framework)
{
    if (map_count(&framework->written) < framework->sweep_at)
        return;
    MAP_FOREACH (entry, &framework->written)
        if (is_known(entry->value))
            map_remove(&framework->written, map_key(entry));
    framework->sweep_at = 2 * map_count(&framework->written) + SWEEP_MIN;
}

void sight_note(struct framework *framework, const struct sight *sight,
                const struct object *written)
{
    SCOPED(buf) text = {.limit = 0};
    const struct str version = object_resource_version(written);
    if (!sight->cache)
        return;
    struct written *entry = mem_alloc_zero(sizeof(struct written) + version.len + 1);
    entry->cache = sight->cache;
    memcpy(entry->version, version.ptr, version.len);
    sweep(framework);
    add_key(&text, sight, object_key(written));
    mem_free(map_put(&framework->written, buf_str(&text), entry));
}

/* The cache is behind what we wrote; once it is not, what we wrote is forgotten. */
static bool is_behind(struct framework *framework, const struct sight *sight, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    add_key(&text, sight, key);
    const struct written *written = map_find(&framework->written, buf_str(&text));
    if (!written)
        return false;
    if (!is_known(written))
        return true;
    map_remove(&framework->written, buf_str(&text));
    return false;
}

struct error *sight_read(struct framework *framework, const struct sight *sight, struct key key,
                         struct object **ret_object)
{
    static const struct client_get_options once = {.no_retry = true};
    if (!sight->cache || !cache_is_synced(sight->cache) || is_behind(framework, sight, key))
        return client_get(sight->cluster.client, sight->gvr, key, &once, ret_object);
    struct object *object = cache_get(sight->cache, key);
    if (!object)
        return error_new(ERROR_NOT_FOUND, "%.*s \"%.*s\" not found", STR_ARG(sight->gvr.resource),
                         STR_ARG(key.name));
    *ret_object = object;
    return NULL;
}
