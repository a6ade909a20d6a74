/* Reading objects: from caches that know at least what we wrote, or from the server. */
#include "base/buf.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery.h"
#include "framework/framework_internal.h"

struct error *sight_find(struct framework *framework, struct arena *arena, struct gvk gvk,
                         struct sight *ret_sight)
{
    struct discovery_mapping mapping;
    TRY(discovery_find_kind(framework->options.discovery, arena, gvk, &mapping));
    const struct str kind = arena_print(arena, "%.*s %.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind));
    *ret_sight = (struct sight){
        .gvr = mapping.gvr,
        .namespaced = mapping.namespaced,
        .cache = map_find(&framework->caches, kind),
    };
    return NULL;
}

/* Versions are numbers in texts: of two, the longer is the newer. */
static bool is_older(struct str a, struct str b)
{
    return a.len != b.len ? a.len < b.len : str_cmp(a, b) < 0;
}

static void add_key(struct buf *out, const struct sight *sight, struct key key)
{
    buf_print(out, "%.*s.%.*s %.*s/%.*s", STR_ARG(sight->gvr.resource), STR_ARG(sight->gvr.group),
              STR_ARG(key.namespace), STR_ARG(key.name));
}

static void note(struct framework *framework, const struct sight *sight, struct key key,
                 struct str version)
{
    SCOPED(buf) text = {.limit = 0};
    if (!sight->cache)
        return;
    add_key(&text, sight, key);
    mem_free(map_put(&framework->written, buf_str(&text), mem_dup(version.ptr, version.len)));
}

void sight_note(struct framework *framework, const struct sight *sight,
                const struct object *written)
{
    note(framework, sight, object_key(written), object_resource_version(written));
}

/* The cache is behind what we wrote; once it is not, what we wrote is forgotten. */
static bool is_behind(struct framework *framework, const struct sight *sight, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    add_key(&text, sight, key);
    const char *version = map_find(&framework->written, buf_str(&text));
    if (!version)
        return false;
    if (is_older(cache_resource_version(sight->cache), str_from_c(version)))
        return true;
    mem_free(map_take(&framework->written, buf_str(&text)));
    return false;
}

struct error *sight_read(struct framework *framework, const struct sight *sight,
                         struct client *client, struct key key, struct object **ret_object)
{
    if (!client && sight->cache && cache_is_synced(sight->cache) &&
        !is_behind(framework, sight, key)) {
        *ret_object = cache_get(sight->cache, key);
        return *ret_object ? NULL
                           : error_new(ERROR_NOT_FOUND, "%.*s \"%.*s\" not found",
                                       STR_ARG(sight->gvr.resource), STR_ARG(key.name));
    }
    return client_get(client ? client : framework->options.client, sight->gvr, key, NULL,
                      ret_object);
}
