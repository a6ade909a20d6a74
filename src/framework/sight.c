/* Reading objects: from caches that know at least what we wrote, or from the server. */
#include "base/buf.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "controller/cache/cache.h"
#include "controller/cache/own_writes.h"
#include "framework/framework_internal.h"

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

/* All versions of a resource share one own_writes: an object has the same key in each of them. */
static void add_resource(struct buf *out, const struct sight *sight)
{
    buf_print(out, "%.*s.%.*s", STR_ARG(sight->gvr.resource), STR_ARG(sight->gvr.group));
}

void sight_note(struct framework *framework, const struct sight *sight,
                const struct object *written)
{
    SCOPED(buf) resource = {.limit = 0};
    if (!sight->cache)
        return;
    add_resource(&resource, sight);
    struct own_writes *writes = map_find(&framework->written, buf_str(&resource));
    if (!writes) {
        writes = own_writes_new(sight->cache, OWN_WRITES_VERSIONS);
        map_put(&framework->written, buf_str(&resource), writes);
    }
    own_writes_put(writes, written);
}

static bool is_behind(const struct framework *framework, const struct sight *sight, struct key key)
{
    SCOPED(buf) resource = {.limit = 0};
    add_resource(&resource, sight);
    struct own_writes *writes = map_find(&framework->written, buf_str(&resource));
    return writes && own_writes_is_behind(writes, key);
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
