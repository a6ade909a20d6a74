#include "framework/live_reader.h"

#include "base/buf.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "controller/cache/cache.h"
#include "controller/cache/own_writes.h"
#include "framework/framework_internal.h"

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

/* All versions of a resource share one own_writes: an object has the same key in each of them. */
static void add_resource(struct buf *out, const struct live_reader *reader)
{
    buf_print(out, "%.*s.%.*s", STR_ARG(reader->gvr.resource), STR_ARG(reader->gvr.group));
}

void live_reader_note_write(struct framework *framework, const struct live_reader *reader,
                            const struct object *written)
{
    SCOPED(buf) resource = {.limit = 0};
    if (!reader->cache)
        return;
    add_resource(&resource, reader);
    struct own_writes *writes = map_find(&framework->written, buf_str(&resource));
    if (!writes) {
        writes = own_writes_new(reader->cache, OWN_WRITES_VERSIONS);
        map_put(&framework->written, buf_str(&resource), writes);
    }
    own_writes_put(writes, written);
}

static bool is_behind(const struct framework *framework, const struct live_reader *reader,
                      struct key key)
{
    SCOPED(buf) resource = {.limit = 0};
    add_resource(&resource, reader);
    struct own_writes *writes = map_find(&framework->written, buf_str(&resource));
    return writes && own_writes_is_behind(writes, key);
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
