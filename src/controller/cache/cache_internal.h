/* A cache from the inside: what is read, what the reflector changes, and who is told. */
#pragma once

#include "async/event.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "controller/cache/cache.h"
#include "controller/cache/cache_store.h"
#include "controller/cache/reflector.h"

/* A round through the handlers, which may come and go meanwhile. Rounds can be inside others. */
struct cache_round {
    struct list_link *next;      /* whose turn is next; the head of the list at the end */
    struct cache_handler *alone; /* of a round for one: that one, NULL once it is removed */
    struct cache_round *outer;
};

struct cache {
    struct list_link link; /* in its set */
    struct loop *loop;
    struct client *client;        /* of the reflector that runs, or ran last */
    struct cache_options options; /* strings in texts */
    struct arena texts;
    bool is_followed; /* a reflector runs, or is about to */
    struct reflector_place place;

    struct cache_store store;
    struct str *index_names; /* of the store's indexes; strings in texts */
    struct buf version;      /* of the store */
    bool is_synced;

    struct list handlers;
    struct cache_round *rounds;
    uint64_t changes; /* of the store, counted; handlers are told of those after they came */

    struct buf problem;
    struct event *synced;          /* the set's: some cache is synced, or all are stopped */
    const struct log_field *owner; /* the set's, for logs; NULL: none */
    bool is_stopped;
};

/* Nothing follows the server yet. */
struct cache *cache_new(struct loop *loop, struct event *synced,
                        const struct cache_options *options);
void cache_free(struct cache *cache);
DEFINE_OWNED(cache)

/* Do both describe the same cache? */
bool cache_options_eq(const struct cache_options *a, const struct cache_options *b);

/* Tells handlers of a change of the store with this number. */
void cache_tell(struct cache *cache, uint64_t change, const struct cache_event *event);

/*
 * What arrived is put into a store that is being filled: the cache's own text if it has that
 * version, else a new one. False when the object cannot be kept.
 */
bool cache_load(struct cache *cache, struct cache_store *loading, struct object *object);
void cache_unload(struct cache_store *loading, const struct object *object);

/* The filled store takes the place of the cache's; what is in it then is the caller's to free. */
void cache_replace(struct cache *cache, struct cache_store *loading, struct str version);

/* One change. What is older than what the cache knows is ignored. */
void cache_apply(struct cache *cache, struct object *object, bool is_deleted);

/* Everything up to this version is known; going back is ignored. */
void cache_advance(struct cache *cache, struct str version);

void cache_set_problem(struct cache *cache, struct str problem);
