/*
 * Caches: the objects of one kind as a server has them, kept current by a watch.
 *
 *     struct cache *cache = cache_set_get(set, &(struct cache_options){.gvr = GVR_CONFIG_MAPS});
 *     cache_add_handler(cache, &handler);
 *     TRY(cache_wait_synced(cache), "wait for config maps");
 *     OWNED(object) object = cache_get(cache, key);
 *
 * A cache lists, watches from there, goes on after a break and lists anew when the server has
 * forgotten; it never gives up. Objects are kept as text and read when asked for, so a cache takes
 * little more than the text it holds. What a reader gets is immutable and its own.
 *
 * Everybody who wants the same kind in the same scope from the same client shares one cache. All
 * calls are made on the loop's thread; handlers must not suspend.
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
 * Makes what is kept of an object that arrived: the same with one more reference, or a changed one
 * with the same name, namespace and version. An error makes the object be skipped and logged.
 */
typedef struct error *cache_transform_fn(void *data, struct object *object,
                                         struct object **ret_object);

/* Takes metadata.managedFields away; what a cache does that is given no other transform. */
cache_transform_fn cache_drop_managed_fields;

/* What makes two caches the same: all but the transform's data is compared. */
struct cache_options {
    struct gvr gvr;
    struct str namespace; /* empty: all of them */
    struct str label_selector, field_selector;
    bool metadata_only;            /* only metadata is asked for and kept */
    cache_transform_fn *transform; /* NULL: cache_drop_managed_fields */
    void *transform_data;
    bool no_streaming_list; /* begin with a plain list */
};

/* All caches over one client. */
struct cache_set *cache_set_new(struct loop *loop, struct client *client);

/* Whose they are: lines about its caches carry this key as well. Before the first one; copied. */
void cache_set_name(struct cache_set *set, const char *field, struct key owner);

/*
 * Stops every cache. Suspends. No handler is called any more; who waits for a cache gets
 * ERROR_CANCELED. Not called by a handler.
 */
void cache_set_free(struct cache_set *set);
DEFINE_OWNED(cache_set)

/*
 * From now on the same server is asked through another client, as after a change of credentials.
 * Watches go on through it from where they are, without a list; a list in progress begins anew, and
 * a pause ends. Suspends, uninterrupted, until the old client is no longer in use. Not called by a
 * handler.
 */
void cache_set_use(struct cache_set *set, struct client *client);

/* The cache, made and started if there is none yet. It lives as long as the set. */
struct cache *cache_set_get(struct cache_set *set, const struct cache_options *options);

/*
 * For tests: one that is synced, holds what of these can be kept, and follows no server. It is not
 * among those that cache_set_get() shares as long as its gvr is none of a server's.
 */
struct cache *cache_set_hold(struct cache_set *set, const struct cache_options *options,
                             struct object *const *objects, size_t count);

/* Suspends until every cache of the set that exists now is synced; the caller's deadline bounds it.
 */
MUST_USE struct error *cache_set_wait_synced(struct cache_set *set);

/* The first list has been applied as a whole. */
bool cache_is_synced(const struct cache *cache);

/* Suspends. */
MUST_USE struct error *cache_wait_synced(struct cache *cache);

/* Why it is not synced, or not current: the last problem, empty when there is none. For people. */
struct str cache_problem(const struct cache *cache);

/* The newest version the cache knows of; empty before it is synced. */
struct str cache_resource_version(const struct cache *cache);

/* A new reference, or NULL when there is none. */
struct object *cache_get(const struct cache *cache, struct key key);
struct object_text *cache_get_text(const struct cache *cache, struct key key);

/* Visits in the order of keys, as they are now; false ends it. Neither suspends nor changes caches.
 */
typedef bool cache_visit_fn(void *data, struct object_text *text);
void cache_each(const struct cache *cache, struct str namespace, cache_visit_fn *visit, void *data);

size_t cache_count(const struct cache *cache);
size_t cache_bytes(const struct cache *cache); /* of the texts */

/* Values under which an object is found; emit is called for each, before it returns. */
typedef void cache_emit_fn(void *emit_data, struct str value);
typedef void cache_index_fn(const struct object *object, cache_emit_fn *emit, void *emit_data);

/* Before or after objects have arrived; the same name with the same function is one index. */
void cache_add_index(struct cache *cache, struct str name, cache_index_fn *fn);

/* Objects with this value; namespace empty: in all of them. */
void cache_each_indexed(const struct cache *cache, struct str name, struct str namespace,
                        struct str value, cache_visit_fn *visit, void *data);

enum cache_event_type {
    CACHE_ADDED,
    CACHE_UPDATED,
    CACHE_DELETED,
};

struct cache_event {
    enum cache_event_type type;
    struct object_text *old, *now; /* borrowed; NULL where there is none */
    bool is_initial;               /* of the first list, or told to a handler that came late */
    bool is_unchanged;             /* an update with the version it had: a resync */
    bool final_state_unknown;      /* a deletion that was missed; old is the last that was seen */
};

/*
 * Called for every change, in order, on the loop. A handler that is added late is told of what is
 * there as additions. It must not suspend and only note what is to be done.
 */
struct cache_handler {
    void (*changed)(void *data, const struct cache_event *event);
    void *data;
    /* private */
    struct list_link link;
    uint64_t since;
};

/* Both may be called by a handler. After the removal it is not called any more. */
void cache_add_handler(struct cache *cache, struct cache_handler *handler);
void cache_remove_handler(struct cache *cache, struct cache_handler *handler);

/*
 * Tells every handler of every object, as updates without a change. Local: nothing is fetched. Not
 * called by a handler.
 */
void cache_resync(struct cache *cache);
