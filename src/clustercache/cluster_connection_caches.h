/*
 * The caches of a connection, and who watches them. They outlive a change of credentials: then they
 * are handed to the connection that has the new ones. Shared by all connections that had them.
 *
 * Nothing is kept that nobody has asked for; as long as that is so, there is not even a cache_set,
 * and the client speaks HTTP/1.1.
 */
#pragma once

#include "async/scope.h"
#include "async/timer.h"
#include "base/list.h"
#include "base/map.h"
#include "clustercache/clustercache.h"
#include "controller/cache/cache.h"

struct clustercache_config;
struct cluster_connection;

struct cluster_connection_caches {
    size_t references;
    struct clustercache_config *config;
    struct cluster_connection *connection; /* whose client is in use; a reference until the end */
    struct cache_set *set;                 /* NULL: nothing was asked for */
    struct list kinds;                     /* of cached kinds */
    struct map watches;                    /* by name */
    struct scope fibers;                   /* of watches that are not attached yet */
    struct timer resync;
    bool is_ended;
};

/* Takes a reference to the connection until cluster_connection_caches_end(). */
struct cluster_connection_caches *
cluster_connection_caches_new(struct cluster_connection *connection);
struct cluster_connection_caches *
cluster_connection_caches_ref(struct cluster_connection_caches *caches);
void cluster_connection_caches_free(
    struct cluster_connection_caches *caches); /* gives one reference back */

/* See cluster_connection_end(). */
void cluster_connection_caches_end(struct cluster_connection_caches *caches, struct scope *endings);

/* From now on through this connection's client. Suspends. */
void cluster_connection_caches_move(struct cluster_connection_caches *caches,
                                    struct cluster_connection *connection);

/*
 * The cache of a kind, begun if nobody has asked for it before. Suspends for the lookup of the
 * kind. ERROR_NOT_CONNECTED when the caches have ended.
 */
MUST_USE struct error *cluster_connection_caches_get(struct cluster_connection_caches *caches,
                                                     struct gvk gvk, struct cache **ret_cache);

/*
 * The steps by which a kind gets its cache: the options that hold for it, the cache_set (made with
 * the first kind), and the cache among those of the connection, with the indexes of its kind. A
 * fake goes them with a cache that no server fills.
 */
struct cache_options
cluster_connection_caches_options(const struct cluster_connection_caches *caches, struct gvk gvk);
struct cache_set *cluster_connection_caches_set(struct cluster_connection_caches *caches);
struct cache *cluster_connection_caches_add(struct cluster_connection_caches *caches,
                                            struct gvk gvk, struct cache *cache);

/* Every index of the options, begun and synced. Suspends. */
MUST_USE struct error *
cluster_connection_caches_begin_indexes(struct cluster_connection_caches *caches);

bool cluster_connection_caches_has_watch(const struct cluster_connection_caches *caches,
                                         struct str name);

/* Notes the watch and attaches it as soon as its kind can be had. */
void cluster_connection_caches_watch(struct cluster_connection_caches *caches,
                                     const struct clustercache_watch *watch);
