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
    bool is_current; /* with the two below, what cache_set_find_lag() says */
    int64_t behind_since;
    const char *problem;
};

void fake_cache_init(struct cache *cache);
void fake_cache_done(struct cache *cache);

/* Adds an object, or replaces the one of the same key, and calls the handlers. */
void fake_cache_put(struct cache *cache, const char *json);
void fake_cache_remove(struct cache *cache, struct key key);
void fake_cache_set_synced(struct cache *cache);

/* The server is lost, with this problem, or found again (NULL). */
void fake_cache_set_problem(struct cache *cache, const char *problem);
