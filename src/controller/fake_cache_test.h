/*
 * A cache for tests whose content the test sets. It replaces controller/cache in this test program:
 * every function of the cache that src/controller calls is defined here, so that the linker takes
 * nothing of the real one.
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

/* Adds an object, or replaces the one of the same key, and calls the handlers. */
void fake_cache_put(struct cache *cache, const char *json);
void fake_cache_remove(struct cache *cache, struct key key);
void fake_cache_set_synced(struct cache *cache);
