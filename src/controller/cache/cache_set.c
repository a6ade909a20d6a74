/*
 * The caches of one client. Each cache has a reflector, a fiber in set->fibers.
 *
 * cache_set_use() replaces the client: it puts a new scope in place, cancels the old one with all
 * reflectors, and starts a reflector for each cache again. cache_set_free() may be called while
 * other fibers are suspended in calls of the set; it waits until the last of them has left.
 */
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "controller/cache/cache_internal.h"
#include "controller/cache/reflector.h"

struct cache_set {
    struct loop *loop;
    struct client *client;
    struct list caches;
    struct scope *fibers;   /* a reflector for each cache */
    struct event synced;    /* some cache is synced, current or behind, or all are stopped */
    size_t inside;          /* fibers that are suspended in calls of the set */
    struct fiber *freeing;  /* the fiber in cache_set_free(), or NULL */
    struct log_field owner; /* see cache_set_name(); unused if its name is NULL */
    struct arena texts;
};

struct cache_set *cache_set_new(struct loop *loop, struct client *client)
{
    struct cache_set *set = NEW(struct cache_set);
    set->loop = loop;
    set->client = client;
    set->fibers = NEW(struct scope);
    list_init(&set->caches);
    return set;
}

struct client *cache_set_client(const struct cache_set *set)
{
    return set->client;
}

void cache_set_name(struct cache_set *set, const char *field, struct key owner)
{
    const struct key own = key_copy(&set->texts, owner);
    set->owner = LOG_KEY("", own.namespace, own.name);
    set->owner.name = field;
}

static void stop_reflectors(struct scope *fibers)
{
    scope_done(fibers);
    mem_free(fibers);
}

static void enter_set(struct cache_set *set)
{
    set->inside++;
}

/* Wakes cache_set_free() if it waits for the last fiber. */
static void leave_set(struct cache_set *set)
{
    if (--set->inside == 0 && set->freeing)
        fiber_wake(set->freeing);
}

/* Marks all caches as stopped first, so that no handler runs while the reflectors end. */
void cache_set_free(struct cache_set *set)
{
    if (!set)
        return;
    LIST_FOREACH (struct cache, cache, &set->caches, link)
        cache->is_stopped = true;
    set->freeing = fiber_current();
    event_wake_all(&set->synced);
    stop_reflectors(set->fibers);
    while (set->inside)
        fiber_park_uninterrupted("those who wait for caches");
    LIST_FOREACH (struct cache, cache, &set->caches, link)
        cache_free(cache);
    arena_done(&set->texts);
    mem_free(set);
}

static void start_reflector(struct cache_set *set, struct cache *cache)
{
    cache->client = set->client;
    cache->is_followed = true;
    scope_start(set->fibers, "cache", reflector_run, cache);
}

/*
 * While this fiber waits for the old reflectors, other fibers may add caches or call
 * cache_set_use() again. Both find the new scope in place. A cache whose reflector has ended gets a
 * new one, with the newest client, from the first call that reaches the loop below.
 */
void cache_set_use(struct cache_set *set, struct client *client)
{
    if (client == set->client)
        return;
    struct scope *old = set->fibers;
    set->client = client;
    set->fibers = NEW(struct scope);
    enter_set(set);
    stop_reflectors(old);
    LIST_FOREACH (struct cache, cache, &set->caches, link)
        if (!cache->is_followed && !cache->is_stopped)
            start_reflector(set, cache);
    leave_set(set);
}

static struct cache *add_cache(struct cache_set *set, const struct cache_options *options)
{
    struct cache *cache = cache_new(set->loop, &set->synced, options);
    cache->owner = set->owner.name ? &set->owner : NULL;
    cache->behind_since = loop_now(set->loop);
    list_append(&set->caches, &cache->link);
    return cache;
}

struct cache *cache_set_get(struct cache_set *set, const struct cache_options *options)
{
    LIST_FOREACH (struct cache, cache, &set->caches, link)
        if (cache_options_eq(&cache->options, options))
            return cache;
    struct cache *cache = add_cache(set, options);
    start_reflector(set, cache);
    return cache;
}

struct cache *cache_set_hold(struct cache_set *set, const struct cache_options *options,
                             struct object *const *objects, size_t count)
{
    struct cache *cache = add_cache(set, options);
    struct cache_store loading;
    cache_store_init_like(&loading, &cache->store);
    for (size_t i = 0; i < count; i++)
        (void)cache_load(cache, &loading, objects[i]);
    cache_replace(cache, &loading, STR(""));
    cache_store_done(&loading);
    cache->is_followed = true; /* so that cache_set_use() does not start a reflector */
    cache->is_current = true;
    return cache;
}

static struct error *add_cache_problem(const struct cache *cache, struct error *err)
{
    const struct str problem = cache_problem(cache), resource = cache->options.gvr.resource;
    return error_wrap(err, "wait for the cache of %.*s%s%.*s%s", STR_ARG(resource),
                      problem.len ? " (" : "", STR_ARG(problem), problem.len ? ")" : "");
}

/* The set of a cache is found through the event that both share. */
struct error *cache_wait_synced(struct cache *cache)
{
    struct cache_set *set = CONTAINER_OF(cache->synced, struct cache_set, synced);
    struct error *err = NULL;
    enter_set(set);
    while (!err && !cache->is_synced && !cache->is_stopped)
        err = event_wait(&set->synced, "a cache to be synced");
    if (!err && !cache->is_synced)
        err = error_new(ERROR_CANCELED, "the cache is stopped");
    err = err ? add_cache_problem(cache, err) : NULL;
    leave_set(set);
    return err;
}

/* Caches that are added meanwhile are behind "last" and not waited for. */
struct error *cache_set_wait_synced(struct cache_set *set)
{
    const struct list_link *last = set->caches.head.prev;
    for (struct list_link *link = set->caches.head.next; link != &set->caches.head;
         link = link->next) {
        TRY(cache_wait_synced(LIST_ENTRY(link, struct cache, link)));
        if (link == last)
            break;
    }
    return NULL;
}

bool cache_set_find_lag(const struct cache_set *set, bool is_synced, struct cache_lag *ret_lag)
{
    const struct cache *last = NULL;
    LIST_FOREACH (struct cache, cache, &set->caches, link)
        if (!cache->is_current && (cache->is_synced || !is_synced) &&
            (!last || cache->behind_since < last->behind_since))
            last = cache;
    if (last)
        *ret_lag = (struct cache_lag){last->options.gvr.resource, last->is_synced,
                                      last->behind_since, cache_problem(last)};
    return last;
}

struct error *cache_set_wait_lag(struct cache_set *set)
{
    enter_set(set);
    struct error *err = event_wait(&set->synced, "a cache to follow its server or to lose it");
    leave_set(set);
    return err;
}
