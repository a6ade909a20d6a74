/*
 * A cache for tests that holds what it is told. It stands in for cache/ in this test program:
 * everything that the folder calls is defined here, so that nothing of the real one is linked.
 */
#pragma once

#include "async/event.h"
#include "controller/cache/cache.h"

struct cache {
    struct list handlers;
    struct object_text *objects[64];
    size_t count;
    bool is_synced;
    struct event synced;
};

void fake_cache_init(struct cache *cache);
void fake_cache_done(struct cache *cache);

/* Adds, or replaces one of the same key, and tells the handlers. */
void fake_cache_put(struct cache *cache, const char *json);
void fake_cache_remove(struct cache *cache, struct key key);
void fake_cache_set_synced(struct cache *cache);
