/*
 * Changes of a cache. An object that arrives is checked (is_expected()), transformed
 * (make_stored()), written as text and put into the store; then the handlers are notified.
 *
 * A list is loaded with cache_load() into a second store while readers still use the first one.
 * cache_replace() exchanges the stores and then notifies of every difference, so a handler that
 * reads the cache always sees the complete new state. Watch events come through cache_apply().
 */
#include "base/log.h"
#include "controller/cache/cache_index.h"
#include "controller/cache/cache_internal.h"
#include "controller/cache/cache_version.h"

static bool is_of_group_version(struct gvr gvr, const struct object *object)
{
    const struct gvk gvk = object_gvk(object);
    return str_eq(gvk.group, gvr.group) && str_eq(gvk.version, gvr.version);
}

/* Objects of another group or version, or without a valid name, are logged and skipped. */
static bool is_expected(const struct cache *cache, const struct object *object)
{
    const struct cache_options *options = &cache->options;
    const bool is_partial = str_eq(object_kind(object), STR("PartialObjectMetadata"));
    const bool is_kind =
        options->metadata_only ? is_partial : is_of_group_version(options->gvr, object);
    if (is_kind && cache_store_accepts(object_key(object)))
        return true;
    log_info("Unexpected object was skipped", LOG_STR("resource", options->gvr.resource),
             LOG_STR("apiVersion", object_api_version(object)),
             LOG_STR("kind", object_kind(object)),
             LOG_KEY("object", object_namespace(object), object_name(object)));
    return false;
}

/* Applies the transform of the options or the default one. */
static struct error *transform_object(const struct cache *cache, struct object *object,
                                      struct object **ret_kept)
{
    cache_transform_fn *fn = cache->options.transform;
    return (fn ? fn : cache_drop_managed_fields)(cache->options.transform_data, object, ret_kept);
}

static struct object *make_stored(const struct cache *cache, struct object *object)
{
    struct object *kept = NULL;
    OWNED(error) err = transform_object(cache, object, &kept);
    if (!err)
        return kept;
    log_error("Object was skipped", LOG_ERROR(err),
              LOG_STR("resource", cache->options.gvr.resource),
              LOG_KEY("object", object_namespace(object), object_name(object)));
    return NULL;
}

/* The uid is compared as well: a recreated object must not be taken for its predecessor. */
static bool is_same_version(const struct object_text *text, const struct object *object)
{
    const struct str version = object_resource_version(object);
    return version.len && str_eq(object_text_resource_version(text), version) &&
           str_eq(object_text_uid(text), object_uid(object));
}

bool cache_load(struct cache *cache, struct cache_store *loading, struct object *object)
{
    if (!is_expected(cache, object))
        return false;
    OWNED(object_text) old = NULL;
    struct object_text *known = cache_store_find(&cache->store, object_key(object));
    if (known && is_same_version(known, object)) {
        cache_store_put(loading, known, NULL, &old);
        return true;
    }
    OWNED(object) kept = make_stored(cache, object);
    if (!kept)
        return false;
    OWNED(object_text) text = object_text_new(kept);
    cache_store_put(loading, text, kept, &old);
    return true;
}

void cache_unload(struct cache_store *loading, const struct object *object)
{
    object_text_free(cache_store_take(loading, object_key(object)));
}

static bool is_same_text_version(const struct object_text *a, const struct object_text *b)
{
    const struct str version = object_text_resource_version(a);
    return a == b || (version.len && str_eq(version, object_text_resource_version(b)));
}

/* A deletion that is found by comparing lists has no final state. */
static struct cache_event event_of_pair(const struct cache_store_pair *pair, bool is_initial)
{
    if (!pair->old)
        return (struct cache_event){
            .type = CACHE_ADDED, .now = pair->now, .is_initial = is_initial};
    if (!pair->now)
        return (struct cache_event){
            .type = CACHE_DELETED, .old = pair->old, .final_state_unknown = true};
    return (struct cache_event){.type = CACHE_UPDATED,
                                .old = pair->old,
                                .now = pair->now,
                                .is_unchanged = is_same_text_version(pair->old, pair->now)};
}

static void set_version(struct cache *cache, struct str version)
{
    buf_clear(&cache->version);
    buf_add(&cache->version, version);
}

/* Adds the indexes that cache_add_index() has added since the load began. */
static void add_missing_indexes(struct cache_store *loading, const struct cache_store *store)
{
    while (loading->index_count < store->index_count)
        cache_store_add_index(loading, store->indexes[loading->index_count].fn,
                              store->indexes[loading->index_count].data);
}

void cache_replace(struct cache *cache, struct cache_store *loading, struct str version)
{
    struct cache_store_walk walk = {0};
    struct cache_store_pair pair;
    const bool is_first = !cache->is_synced;
    const uint64_t change = ++cache->changes;
    add_missing_indexes(loading, &cache->store);
    const struct cache_store old = cache->store;
    cache->store = *loading;
    *loading = old;
    set_version(cache, version);
    cache->is_synced = true;
    while (cache_store_next_pair(&walk, loading, &cache->store, &pair)) {
        const struct cache_event event = event_of_pair(&pair, is_first);
        cache_notify(cache, change, &event);
    }
    if (is_first)
        event_wake_all(cache->synced);
}

/*
 * True for an event that the cache has applied already, or that a newer list has made obsolete. A
 * stored object is compared with its own version. An object that is not stored is compared with the
 * version of the cache: if it is not newer, the object was deleted before that version. A deletion
 * may have the same version as the stored object.
 */
static bool is_stale(const struct cache *cache, const struct object_text *stored,
                     struct str version, bool is_deleted)
{
    int order;
    const struct str known =
        stored ? object_text_resource_version(stored) : buf_str(&cache->version);
    if (!cache_version_cmp(version, known, &order))
        return false;
    return order < 0 || (order == 0 && !(stored && is_deleted));
}

static void notify_change(struct cache *cache, const struct cache_event *event)
{
    cache_notify(cache, ++cache->changes, event);
}

static void apply_deletion(struct cache *cache, struct key key)
{
    OWNED(object_text) old = cache_store_take(&cache->store, key);
    if (old)
        notify_change(cache, &(struct cache_event){.type = CACHE_DELETED, .old = old});
}

static void apply_update(struct cache *cache, struct object *object)
{
    OWNED(object) kept = make_stored(cache, object);
    if (!kept)
        return;
    OWNED(object_text) old = NULL;
    OWNED(object_text) text = object_text_new(kept);
    cache_store_put(&cache->store, text, kept, &old);
    notify_change(cache,
                  &(struct cache_event){.type = old ? CACHE_UPDATED : CACHE_ADDED,
                                        .old = old,
                                        .now = text,
                                        .is_unchanged = old && is_same_text_version(old, text)});
}

void cache_apply(struct cache *cache, struct object *object, bool is_deleted)
{
    const struct str version = object_resource_version(object);
    if (!is_expected(cache, object))
        return;
    const struct object_text *stored = cache_store_find(&cache->store, object_key(object));
    if (is_stale(cache, stored, version, is_deleted))
        return;
    if (is_deleted)
        apply_deletion(cache, object_key(object));
    else
        apply_update(cache, object);
}

void cache_advance(struct cache *cache, struct str version)
{
    if (version.len && !cache_version_is_older(version, buf_str(&cache->version)))
        set_version(cache, version);
}
