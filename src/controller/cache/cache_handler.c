/*
 * Notification of handlers. Handlers may be added and removed at any time, also by a handler that
 * is being called.
 *
 * Each notification is a round on the stack, linked from cache->rounds. cache_remove_handler()
 * moves every round past the removed handler. A handler that is added during a round must not see
 * the change of that round, since it has just seen the whole store: "since" holds the number of the
 * last change that it has seen.
 */
#include "base/list.h"
#include "controller/cache/cache_internal.h"

static void begin_round(struct cache *cache, struct cache_round *round)
{
    round->outer = cache->rounds;
    cache->rounds = round;
}

static void end_round(struct cache *cache, const struct cache_round *round)
{
    cache->rounds = round->outer;
}

void cache_notify(struct cache *cache, uint64_t change, const struct cache_event *event)
{
    struct cache_round round = {.next = cache->handlers.head.next};
    if (cache->is_stopped)
        return;
    begin_round(cache, &round);
    while (round.next != &cache->handlers.head) {
        const struct cache_handler *handler = LIST_ENTRY(round.next, struct cache_handler, link);
        round.next = round.next->next;
        /* A handler that was added after the change has seen its result already. */
        if (handler->since < change)
            handler->changed(handler->data, event);
    }
    end_round(cache, &round);
}

/* The notification of one new handler about every object. */
struct telling {
    struct cache_round round;
};

static bool notify_addition(void *data, struct object_text *text)
{
    const struct telling *telling = data;
    const struct cache_handler *handler = telling->round.alone;
    const struct cache_event event = {.type = CACHE_ADDED, .now = text, .is_initial = true};
    handler->changed(handler->data, &event);
    return telling->round.alone != NULL;
}

void cache_add_handler(struct cache *cache, struct cache_handler *handler)
{
    struct telling telling = {
        .round = {.next = &cache->handlers.head, .alone = handler}
    };
    handler->since = cache->changes;
    list_append(&cache->handlers, &handler->link);
    if (cache->is_stopped)
        return;
    begin_round(cache, &telling.round);
    cache_store_each(&cache->store, STR(""), notify_addition, &telling);
    end_round(cache, &telling.round);
}

void cache_remove_handler(struct cache *cache, struct cache_handler *handler)
{
    if (!list_link_is_in(&handler->link))
        return;
    for (struct cache_round *round = cache->rounds; round; round = round->outer) {
        if (round->next == &handler->link)
            round->next = handler->link.next;
        if (round->alone == handler)
            round->alone = NULL;
    }
    list_remove(&handler->link);
}

struct resync {
    struct cache *cache;
    uint64_t change;
};

static bool notify_unchanged(void *data, struct object_text *text)
{
    const struct resync *resync = data;
    const struct cache_event event = {
        .type = CACHE_UPDATED, .old = text, .now = text, .is_unchanged = true};
    cache_notify(resync->cache, resync->change, &event);
    return true;
}

void cache_resync(struct cache *cache)
{
    struct resync resync = {cache, ++cache->changes};
    cache_store_each(&cache->store, STR(""), notify_unchanged, &resync);
}
