/* Who is told of changes. Handlers come and go at any time, also while they are being told. */
#include "base/list.h"
#include "controller/cache/cache_internal.h"

static void round_begin(struct cache *cache, struct cache_round *round)
{
    round->outer = cache->rounds;
    cache->rounds = round;
}

static void round_end(struct cache *cache, const struct cache_round *round)
{
    cache->rounds = round->outer;
}

void cache_tell(struct cache *cache, uint64_t change, const struct cache_event *event)
{
    struct cache_round round = {.next = cache->handlers.head.next};
    if (cache->is_stopped)
        return;
    round_begin(cache, &round);
    while (round.next != &cache->handlers.head) {
        const struct cache_handler *handler = LIST_ENTRY(round.next, struct cache_handler, link);
        round.next = round.next->next;
        /* One that came since was told of the store as it is now. */
        if (handler->since < change)
            handler->changed(handler->data, event);
    }
    round_end(cache, &round);
}

/* A handler that is told of every object, as long as it is not removed. */
struct telling {
    struct cache_round round;
};

static bool tell_addition(void *data, struct object_text *text)
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
    round_begin(cache, &telling.round);
    cache_store_each(&cache->store, STR(""), tell_addition, &telling);
    round_end(cache, &telling.round);
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

static bool tell_unchanged(void *data, struct object_text *text)
{
    const struct resync *resync = data;
    const struct cache_event event = {
        .type = CACHE_UPDATED, .old = text, .now = text, .is_unchanged = true};
    cache_tell(resync->cache, resync->change, &event);
    return true;
}

void cache_resync(struct cache *cache)
{
    struct resync resync = {cache, ++cache->changes};
    cache_store_each(&cache->store, STR(""), tell_unchanged, &resync);
}
