/*
 * Caches: local copies of the objects of one resource, kept current by a watch. They correspond to
 * the informers of client-go.
 *
 *     struct cache *cache = cache_set_get(set, &(struct cache_options){.gvr = GVR_CONFIG_MAPS});
 *     cache_add_handler(cache, &handler);
 *     TRY(cache_wait_synced(cache), "wait for config maps");
 *     OWNED(object) object = cache_get(cache, key);
 *
 * A cache lists the objects and watches from the version of the list. After a break it continues
 * the watch, and it lists again if the server no longer has the version. It never stops trying.
 * Objects are kept as JSON text and parsed when they are read, so a cache takes little more memory
 * than its texts. A returned object is immutable and belongs to the caller.
 *
 * A cache_set holds the caches of one client; equal options give the same cache. All calls are made
 * on the thread of the loop. Handlers must not suspend.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "apimachinery/object_text.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/list.h"
#include "base/owned.h"
#include "base/str.h"

struct cache;
struct cache_set;
struct client;
struct loop;

/*
 * Changes an object before it is stored. Returns a new reference to the same object, or another
 * object with the same name, namespace and resourceVersion. If it fails the object is skipped and
 * the error is logged.
 */
typedef struct error *cache_transform_fn(void *data, struct object *object,
                                         struct object **ret_object);

/* The default transform: removes metadata.managedFields. */
cache_transform_fn cache_drop_managed_fields;

/* Equal options mean the same cache. transform_data is not compared. */
struct cache_options {
    struct gvr gvr;
    struct str namespace; /* empty: all namespaces */
    struct str label_selector, field_selector;
    bool metadata_only;            /* PartialObjectMetadata instead of objects */
    cache_transform_fn *transform; /* NULL: cache_drop_managed_fields */
    void *transform_data;
    bool no_streaming_list; /* load with a plain list, not with sendInitialEvents */
};

/* An empty set. The client must outlive it, or be replaced with cache_set_use(). */
struct cache_set *cache_set_new(struct loop *loop, struct client *client);

/* Adds a field to the log lines of all caches. Called before the first cache_set_get(). Copied. */
void cache_set_name(struct cache_set *set, const char *field, struct key owner);

/*
 * Stops and frees every cache. No handler is called any more, and fibers in cache_wait_synced() get
 * ERROR_CANCELED. Must not be called by a handler. Suspends.
 */
void cache_set_free(struct cache_set *set);
DEFINE_OWNED(cache_set)

/*
 * Uses another client for the same server from now on, for instance after a change of credentials.
 * Watches continue from their versions without a new list, a list in progress begins again, and
 * pauses end. Suspends, uninterrupted, until the old client is no longer in use. Must not be called
 * by a handler.
 */
void cache_set_use(struct cache_set *set, struct client *client);

/* The client that the caches use now. */
struct client *cache_set_client(const struct cache_set *set);

/* The cache with these options, made and started if there is none. It lives as long as the set. */
struct cache *cache_set_get(struct cache_set *set, const struct cache_options *options);

/*
 * For test doubles: a synced cache with these objects that does not follow a server.
 * cache_set_get() must not be called with the same options.
 */
struct cache *cache_set_hold(struct cache_set *set, const struct cache_options *options,
                             struct object *const *objects, size_t count);

/* Suspends until every cache that the set has now is synced. */
MUST_USE struct error *cache_set_wait_synced(struct cache_set *set);

/* A cache that does not follow its server now. Texts are borrowed until the next suspension. */
struct cache_lag {
    struct str resource;
    bool is_synced;
    int64_t since;      /* the loop's time: its watch ended, or it was made */
    struct str problem; /* see cache_problem(); empty: an attempt is under way */
};

/*
 * The cache of the set that has been behind longest, or of those that are synced. False: all of
 * them follow the server.
 */
bool cache_set_find_lag(const struct cache_set *set, bool is_synced, struct cache_lag *ret_lag);

/* Suspends until cache_set_find_lag() may answer something else. */
MUST_USE struct error *cache_set_wait_lag(struct cache_set *set);

/* True once the first list is complete. It stays true. */
bool cache_is_synced(const struct cache *cache);

/* Suspends until the cache is synced. The error names the last problem of the cache. */
MUST_USE struct error *cache_wait_synced(struct cache *cache);

/* The last problem that keeps the cache from being synced or current, for people; may be empty. */
struct str cache_problem(const struct cache *cache);

/* The resourceVersion up to which the cache is current; empty before it is synced. */
struct str cache_resource_version(const struct cache *cache);

/* A new reference, or NULL if there is no such object. */
struct object *cache_get(const struct cache *cache, struct key key);
struct object_text *cache_get_text(const struct cache *cache, struct key key);

/*
 * Calls visit() for the objects of a namespace (empty: all namespaces) in the order of keys, until
 * it returns false. visit() must neither suspend nor change caches.
 */
typedef bool cache_visit_fn(void *data, struct object_text *text);
void cache_each(const struct cache *cache, struct str namespace, cache_visit_fn *visit, void *data);

size_t cache_count(const struct cache *cache);
size_t cache_bytes(const struct cache *cache); /* of all texts */

/* An index function calls emit() for each value under which the object can be found. */
typedef void cache_emit_fn(void *emit_data, struct str value);
typedef void cache_index_fn(void *data, const struct object *object, cache_emit_fn *emit,
                            void *emit_data);

/*
 * May be called at any time. Adding a name again with the same function does nothing. data is that
 * of the function and outlives the cache.
 */
void cache_add_index(struct cache *cache, struct str name, cache_index_fn *fn, void *data);

/* Visits the objects with this value of an index. An empty namespace means all namespaces. */
void cache_each_indexed(const struct cache *cache, struct str name, struct str namespace,
                        struct str value, cache_visit_fn *visit, void *data);

enum cache_event_type {
    CACHE_ADDED,
    CACHE_UPDATED,
    CACHE_DELETED,
};

struct cache_event {
    enum cache_event_type type;
    struct object_text *old, *now; /* borrowed; NULL if there is none */
    bool is_initial;               /* from the first list, or for a handler that was added later */
    bool is_unchanged;             /* an update with the same resourceVersion, as by a resync */
    bool final_state_unknown;      /* the deletion was missed; old may not be the last state */
};

/*
 * changed() is called for every change, in order. It must not suspend. A handler that is added
 * after objects have arrived gets a CACHE_ADDED for each of them at once.
 */
struct cache_handler {
    void (*changed)(void *data, const struct cache_event *event);
    void *data;
    /* private */
    struct list_link link;
    uint64_t since;
};

/* Handlers may call both. A removed handler is not called any more. */
void cache_add_handler(struct cache *cache, struct cache_handler *handler);
void cache_remove_handler(struct cache *cache, struct cache_handler *handler);

/*
 * Calls every handler for every object, as an update that is_unchanged. Nothing is fetched. Must
 * not be called by a handler.
 */
void cache_resync(struct cache *cache);
