#include "framework/live_reader.h"

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

/* Only kinds that the controller watches have caches. */
struct error *live_reader_find(struct framework *framework, struct arena *arena,
                               const struct graph_cluster *cluster, struct gvk gvk,
                               struct live_reader *ret_reader)
{
    const struct graph_cluster home = {framework->options.client, framework->options.discovery};
    struct discovery_mapping mapping;
    *ret_reader = (struct live_reader){.cluster = cluster ? *cluster : home};
    TRY(discovery_find_kind(ret_reader->cluster.discovery, arena, gvk, &mapping));
    ret_reader->gvr = mapping.gvr;
    ret_reader->namespaced = mapping.namespaced;
    if (!cluster)
        ret_reader->cache = map_find(&framework->caches, framework_kind_name(arena, gvk));
    return NULL;
}

/* The key of framework->written: resource, group, namespace and name. */
static void add_key(struct buf *out, const struct live_reader *reader, struct key key)
{
    buf_print(out, "%.*s.%.*s %.*s/%.*s", STR_ARG(reader->gvr.resource), STR_ARG(reader->gvr.group),
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

void live_reader_note_write(struct framework *framework, const struct live_reader *reader,
                            const struct object *written)
{
    SCOPED(buf) text = {.limit = 0};
    const struct str version = object_resource_version(written);
    if (!reader->cache)
        return;
    struct written *entry = mem_alloc_zero(sizeof(struct written) + version.len + 1);
    entry->cache = reader->cache;
    memcpy(entry->version, version.ptr, version.len);
    sweep(framework);
    add_key(&text, reader, object_key(written));
    mem_free(map_put(&framework->written, buf_str(&text), entry));
}

/* The cache is behind what we wrote; once it is not, what we wrote is forgotten. */
static bool is_behind(struct framework *framework, const struct live_reader *reader, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    add_key(&text, reader, key);
    const struct written *written = map_find(&framework->written, buf_str(&text));
    if (!written)
        return false;
    if (!is_known(written))
        return true;
    map_remove(&framework->written, buf_str(&text));
    return false;
}

struct error *live_reader_read(struct framework *framework, const struct live_reader *reader,
                               struct key key, struct object **ret_object)
{
    static const struct client_get_options once = {.no_retry = true};
    if (!reader->cache || !cache_is_synced(reader->cache) || is_behind(framework, reader, key))
        return client_get(reader->cluster.client, reader->gvr, key, &once, ret_object);
    struct object *object = cache_get(reader->cache, key);
    if (!object)
        return error_new(ERROR_NOT_FOUND, "%.*s \"%.*s\" not found", STR_ARG(reader->gvr.resource),
                         STR_ARG(key.name));
    *ret_object = object;
    return NULL;
}
