/*
 * The caches of a connection and the watches on them.
 *
 * Caches outlive a change of credentials: they move to the connection with the new credentials and
 * are shared by reference between all connections they belonged to.
 *
 * A kind is cached only once it is read, watched or indexed. Before the first cache there is no
 * cache_set, and the client speaks HTTP/1.1.
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
    struct cluster_connection *connection; /* whose client is in use; a reference until is_ended */
    struct cache_set *set;                 /* NULL: no kind is cached yet */
    struct list kinds;                     /* the kinds that are cached */
    struct map watches;                    /* by their names */
    struct scope fibers; /* for watches whose kind is not known to the server yet */
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

/* Caches use the client of this connection from now on. Suspends. */
void cluster_connection_caches_move(struct cluster_connection_caches *caches,
                                    struct cluster_connection *connection);

/*
 * The cache of a kind, which is started if there is none. Suspends while discovery looks up the
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

/* Starts the cache of every kind in options.indexes and waits until they are synced. Suspends. */
MUST_USE struct error *
cluster_connection_caches_begin_indexes(struct cluster_connection_caches *caches);

bool cluster_connection_caches_has_watch(const struct cluster_connection_caches *caches,
                                         struct str name);

/* Records the watch and attaches it to the cache of its kind, as soon as the server has the kind.
 */
void cluster_connection_caches_watch(struct cluster_connection_caches *caches,
                                     const struct clustercache_watch *watch);
