/*
 * Life cycle, reads and indexes of a cache. The other parts are in their own files: changes in
 * cache_change.c, handlers in cache_handler.c, the set in cache_set.c, the connection to the server
 * in reflector.c.
 */
#include "controller/cache/cache.h"

#include <assert.h>

#include "base/memory.h"
#include "controller/cache/cache_index.h"
#include "controller/cache/cache_internal.h"

bool cache_options_eq(const struct cache_options *a, const struct cache_options *b)
{
    return gvr_eq(a->gvr, b->gvr) && str_eq(a->namespace, b->namespace) &&
           str_eq(a->label_selector, b->label_selector) &&
           str_eq(a->field_selector, b->field_selector) && a->metadata_only == b->metadata_only &&
           a->transform == b->transform && a->no_streaming_list == b->no_streaming_list;
}

/* Options may refer to texts of the caller, and the cache outlives the call. */
static struct cache_options copy_options(struct arena *texts, const struct cache_options *options)
{
    struct cache_options copy = *options;
    copy.gvr = gvr_copy(texts, options->gvr);
    copy.namespace = arena_str(texts, options->namespace);
    copy.label_selector = arena_str(texts, options->label_selector);
    copy.field_selector = arena_str(texts, options->field_selector);
    return copy;
}

/* The caller starts a reflector, or fills the cache itself (tests, cache_set_hold()). */
struct cache *cache_new(struct loop *loop, struct event *synced,
                        const struct cache_options *options)
{
    struct cache *cache = NEW(struct cache);
    cache->loop = loop;
    cache->synced = synced;
    cache->options = copy_options(&cache->texts, options);
    list_init(&cache->handlers);
    cache_store_init_like(&cache->store, &(const struct cache_store){0});
    return cache;
}

/* Handlers are only unlinked: they belong to their owners. The reflector must have ended. */
void cache_free(struct cache *cache)
{
    if (!cache)
        return;
    assert(!cache->rounds); /* a handler must not free its own cache */
    while (list_take_first(&cache->handlers))
        ;
    list_remove(&cache->link);
    cache_store_done(&cache->store);
    mem_free(cache->index_names);
    buf_done(&cache->version);
    buf_done(&cache->problem);
    arena_done(&cache->texts);
    mem_free(cache);
}

bool cache_is_synced(const struct cache *cache)
{
    return cache->is_synced;
}

struct str cache_problem(const struct cache *cache)
{
    return buf_str(&cache->problem);
}

void cache_set_problem(struct cache *cache, struct str problem)
{
    buf_clear(&cache->problem);
    buf_add(&cache->problem, problem);
    event_wake_all(cache->synced);
}

void cache_set_current(struct cache *cache)
{
    cache->is_current = true;
    cache_set_problem(cache, STR(""));
}

/* A cache that is behind already stays so since then. */
void cache_set_behind(struct cache *cache, int64_t now)
{
    if (!cache->is_current)
        return;
    cache->is_current = false;
    cache->behind_since = now;
    event_wake_all(cache->synced);
}

struct str cache_resource_version(const struct cache *cache)
{
    return buf_str(&cache->version);
}

struct object_text *cache_get_text(const struct cache *cache, struct key key)
{
    struct object_text *text = cache_store_find(&cache->store, key);
    return text ? object_text_ref(text) : NULL;
}

struct object *cache_get(const struct cache *cache, struct key key)
{
    struct object *object = NULL;
    const struct object_text *text = cache_store_find(&cache->store, key);
    /* The text was written from an object, so parsing it cannot fail. */
    if (text)
        error_free(object_text_read(text, &object));
    return object;
}

void cache_each(const struct cache *cache, struct str namespace, cache_visit_fn *visit, void *data)
{
    cache_store_each(&cache->store, namespace, visit, data);
}

size_t cache_count(const struct cache *cache)
{
    return tree_count(&cache->store.texts);
}

size_t cache_bytes(const struct cache *cache)
{
    return cache->store.bytes;
}

/* Indexes are few, so a linear search is enough. */
static const struct cache_index *find_index(const struct cache *cache, struct str name)
{
    for (size_t i = 0; i < cache->store.index_count; i++)
        if (str_eq(cache->index_names[i], name))
            return &cache->store.indexes[i];
    return NULL;
}

/* A list that is being loaded gets the index in cache_replace(). */
void cache_add_index(struct cache *cache, struct str name, cache_index_fn *fn, void *data)
{
    const struct cache_index *index = find_index(cache, name);
    const size_t count = cache->store.index_count;
    if (index) {
        assert(index->fn == fn && index->data == data);
        return;
    }
    cache->index_names =
        mem_realloc_array(cache->index_names, count + 1, sizeof(cache->index_names[0]));
    cache->index_names[count] = arena_str(&cache->texts, name);
    cache_store_add_index(&cache->store, fn, data);
}

void cache_each_indexed(const struct cache *cache, struct str name, struct str namespace,
                        struct str value, cache_visit_fn *visit, void *data)
{
    const struct cache_index *index = find_index(cache, name);
    assert(index);
    cache_index_each(index, namespace, value, visit, data);
}
