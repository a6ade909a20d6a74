#include "controller/fake_cache_test.h"

#include "async/loop.h"
#include "testing/test.h"

void fake_cache_init(struct cache *cache)
{
    *cache = (struct cache){.behind_since = loop_now(loop_current())};
    list_init(&cache->handlers);
}

void fake_cache_done(struct cache *cache)
{
    CHECK(list_is_empty(&cache->handlers));
    for (size_t i = 0; i < cache->count; i++)
        object_text_free(cache->objects[i]);
}

static void tell(struct cache *cache, const struct cache_event *event)
{
    LIST_FOREACH (struct cache_handler, handler, &cache->handlers, link)
        handler->changed(handler->data, event);
}

static size_t place_of(const struct cache *cache, struct key key)
{
    size_t i = 0;
    while (i < cache->count && !key_eq(object_text_key(cache->objects[i]), key))
        i++;
    return i;
}

void fake_cache_put(struct cache *cache, const char *json)
{
    OWNED(object_text) old = NULL;
    struct object_text *text;
    CHECK_OK(object_text_from_json(str_from_c(json), &text));
    const size_t place = place_of(cache, object_text_key(text));
    CHECK(place < COUNT(cache->objects));
    if (place < cache->count)
        old = cache->objects[place];
    else
        cache->count++;
    cache->objects[place] = text;
    tell(cache,
         &(struct cache_event){.type = old ? CACHE_UPDATED : CACHE_ADDED,
                               .old = old,
                               .now = text,
                               .is_initial = !cache->is_synced,
                               .is_unchanged = old && str_eq(object_text_resource_version(old),
                                                             object_text_resource_version(text))});
}

void fake_cache_remove(struct cache *cache, struct key key)
{
    const size_t place = place_of(cache, key);
    CHECK(place < cache->count);
    OWNED(object_text) old = cache->objects[place];
    cache->objects[place] = cache->objects[--cache->count];
    tell(cache, &(struct cache_event){.type = CACHE_DELETED, .old = old});
}

void fake_cache_set_synced(struct cache *cache)
{
    cache->is_synced = true;
    fake_cache_set_problem(cache, NULL);
}

void fake_cache_set_problem(struct cache *cache, const char *problem)
{
    if (cache->is_current)
        cache->behind_since = loop_now(loop_current());
    cache->is_current = cache->is_synced && !problem;
    cache->problem = problem;
    event_wake_all(&cache->synced);
}

bool cache_is_synced(const struct cache *cache)
{
    return cache->is_synced;
}

struct error *cache_wait_synced(struct cache *cache)
{
    while (!cache->is_synced)
        TRY(event_wait(&cache->synced, "the cache"));
    return NULL;
}

/* The set of one, under another name. */
struct error *cache_set_wait_synced(struct cache_set *set)
{
    return cache_wait_synced((struct cache *)set);
}

/* Nothing is asked of a server. */
struct client *cache_set_client(const struct cache_set *set)
{
    (void)set;
    return NULL;
}

bool cache_set_find_lag(const struct cache_set *set, bool is_synced, struct cache_lag *ret_lag)
{
    const struct cache *cache = (const struct cache *)set;
    if (!cache->is_current && (cache->is_synced || !is_synced))
        *ret_lag = (struct cache_lag){STR("things"), cache->is_synced, cache->behind_since,
                                      str_from_c(cache->problem ? cache->problem : "")};
    return !cache->is_current && (cache->is_synced || !is_synced);
}

struct error *cache_set_wait_lag(struct cache_set *set)
{
    return event_wait(&((struct cache *)set)->synced, "the cache");
}

void cache_each(const struct cache *cache, struct str namespace, cache_visit_fn *visit, void *data)
{
    for (size_t i = 0; i < cache->count; i++)
        if (!namespace.len || str_eq(namespace, object_text_key(cache->objects[i]).namespace))
            if (!visit(data, cache->objects[i]))
                return;
}

void cache_add_handler(struct cache *cache, struct cache_handler *handler)
{
    list_append(&cache->handlers, &handler->link);
    for (size_t i = 0; i < cache->count; i++)
        handler->changed(handler->data, &(struct cache_event){.type = CACHE_ADDED,
                                                              .now = cache->objects[i],
                                                              .is_initial = true});
}

void cache_remove_handler(struct cache *cache, struct cache_handler *handler)
{
    (void)cache;
    list_remove(&handler->link);
}
