/*
 * The caches of a connection, and who watches them. They outlive a change of credentials: then they
 * are handed to the workload that has the new ones. Shared by all workloads that had them.
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
struct workload;

struct workload_caches {
    size_t references;
    struct clustercache_config *config;
    struct workload *workload; /* whose client is in use; a reference until the end */
    struct cache_set *set;     /* NULL: nothing was asked for */
    struct list kinds;         /* of cached kinds */
    struct map watches;        /* by name */
    struct scope fibers;       /* of watches that are not attached yet */
    struct timer resync;
    bool is_ended;
};

/* Takes a reference to the workload until workload_caches_end(). */
struct workload_caches *workload_caches_new(struct workload *workload);
struct workload_caches *workload_caches_ref(struct workload_caches *caches);
void workload_caches_free(struct workload_caches *caches); /* gives one reference back */

/* See workload_end(). */
void workload_caches_end(struct workload_caches *caches, struct scope *endings);

/* From now on through this workload's client. Suspends. */
void workload_caches_move(struct workload_caches *caches, struct workload *workload);

/*
 * The cache of a kind, begun if nobody has asked for it before. Suspends for the lookup of the
 * kind. ERROR_NOT_CONNECTED when the caches have ended.
 */
MUST_USE struct error *workload_caches_get(struct workload_caches *caches, struct gvk gvk,
                                           struct cache **ret_cache);

/* For fakes: the kind is there, with these objects, whatever a server says. */
void workload_caches_hold(struct workload_caches *caches, struct gvk gvk,
                          struct object *const *objects, size_t count);

/* Every index of the options, begun and synced. Suspends. */
MUST_USE struct error *workload_caches_begin_indexes(struct workload_caches *caches);

bool workload_caches_has_watch(const struct workload_caches *caches, struct str name);

/* Notes the watch and attaches it as soon as its kind can be had. */
void workload_caches_watch(struct workload_caches *caches, const struct clustercache_watch *watch);
