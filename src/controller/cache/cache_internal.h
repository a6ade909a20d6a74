/*
 * The inside of a cache: the state that readers, the reflector and the notification of handlers
 * share. Private to this folder.
 *
 * Only reflector.c changes a cache that follows a server, through the functions at the end.
 */
#pragma once

#include "async/event.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "controller/cache/cache.h"
#include "controller/cache/cache_store.h"
#include "controller/cache/reflector.h"

/*
 * One pass over the handlers, on the stack of the notifying function. Handlers may be added and
 * removed meanwhile, and a handler may start another round inside of this one.
 */
struct cache_round {
    struct list_link *next;      /* the next handler; the head of the list at the end */
    struct cache_handler *alone; /* of a round for one handler; NULL once it is removed */
    struct cache_round *outer;
};

struct cache {
    struct list_link link; /* in cache_set.caches */
    struct loop *loop;
    struct client *client;        /* of the running reflector, or of the last one */
    struct cache_options options; /* strings live in texts */
    struct arena texts;
    bool is_followed; /* a reflector is running or was started */
    struct reflector_place place;

    struct cache_store store;
    struct str *index_names; /* of store.indexes; strings live in texts */
    struct buf version;      /* see cache_resource_version() */
    bool is_synced;
    bool is_current;      /* a watch is open */
    int64_t behind_since; /* unless it is current */

    struct list handlers;
    struct cache_round *rounds;
    uint64_t changes; /* the number of the last change; see cache_handler.since */

    struct buf problem;
    struct event *synced;          /* of the set: the state of some cache has changed */
    const struct log_field *owner; /* of the set, for log lines; NULL: none */
    bool is_stopped;
};

/* A cache without a reflector. */
struct cache *cache_new(struct loop *loop, struct event *synced,
                        const struct cache_options *options);
void cache_free(struct cache *cache);
DEFINE_OWNED(cache)

/* True if both describe the same cache. */
bool cache_options_eq(const struct cache_options *a, const struct cache_options *b);

/* Calls the handlers that were added before the change of this number. */
void cache_notify(struct cache *cache, uint64_t change, const struct cache_event *event);

/*
 * Puts an object into a store that is being loaded. If the cache has the same version of the
 * object, its text is shared. Returns false if the object was skipped.
 */
bool cache_load(struct cache *cache, struct cache_store *loading, struct object *object);
void cache_unload(struct cache_store *loading, const struct object *object);

/*
 * Exchanges the store of the cache and the loaded one, and notifies handlers of all differences.
 * The caller frees the old store, which is in *loading then.
 */
void cache_replace(struct cache *cache, struct cache_store *loading, struct str version);

/* Applies one watch event. An event that is older than the cache is ignored. */
void cache_apply(struct cache *cache, struct object *object, bool is_deleted);

/* The cache is current up to this version. An older version is ignored. */
void cache_advance(struct cache *cache, struct str version);

void cache_set_problem(struct cache *cache, struct str problem);

/* Notes that a watch was opened, or that it has ended at this time of the loop. */
void cache_set_current(struct cache *cache);
void cache_set_behind(struct cache *cache, int64_t now);
