#include "clusterresourceset/policy_store.h"

#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "client/client.h"
#include "clusterresourceset/types/policy_schema.h"
#include "controller/cache/cache.h"

struct policy_store {
    struct loop *loop;
    struct policy_store_options options;
    struct policy_schema *schema;
    struct cache_set *caches; /* NULL until the first question */
    struct cache *cache;
    struct cache_handler handler;
};

struct policy_store *policy_store_new(struct loop *loop, const struct policy_store_options *options)
{
    struct policy_store *store = NEW(struct policy_store);
    store->loop = loop;
    store->options = *options;
    return store;
}

void policy_store_free(struct policy_store *store)
{
    if (!store)
        return;
    cache_set_free(store->caches);
    policy_schema_free(store->schema);
    mem_free(store);
}

static void note_change(void *data, const struct cache_event *event)
{
    const struct policy_store *store = data;
    if (event->type == CACHE_UPDATED && event->is_unchanged)
        return;
    store->options.changed(store->options.data,
                           object_text_key(event->now ? event->now : event->old),
                           event->is_initial);
}

static void open_cache(struct policy_store *store)
{
    store->schema = policy_schema_new();
    store->caches = cache_set_new(store->loop, store->options.client);
    store->cache = cache_set_get(store->caches,
                                 &(struct cache_options){.gvr = GVR_DELIVERY_POLICIES,
                                                         .namespace = store->options.namespace});
    store->handler = (struct cache_handler){.changed = note_change, .data = store};
    cache_add_handler(store->cache, &store->handler);
}

struct error *policy_store_get(struct policy_store *store, struct key key,
                               struct delivery_policy **ret_policy)
{
    if (!store->caches)
        open_cache(store);
    OWNED(object) object = cache_get(store->cache, key);
    if (!object)
        TRY(client_get(store->options.client, GVR_DELIVERY_POLICIES, key, NULL, &object));
    return delivery_policy_read(store->schema, object, ret_policy);
}
