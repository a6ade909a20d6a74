/* The cache of clusters from the inside. */
#pragma once

#include "async/scope.h"
#include "async/semaphore.h"
#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "clustercache/accessor.h"
#include "clustercache/clustercache.h"
#include "controller/controller.h"

struct discovery_pool;

/*
 * What connections are made by: the options, with defaults filled in and texts copied. Shared,
 * because references to connections may outlive the cache.
 */
struct clustercache_config {
    size_t references;
    struct loop *loop;
    struct clustercache_options options;
    struct discovery_pool *pool;
    bool has_own_pod;
    struct arena texts;
};

/* Is there everything a connection is made by? */
MUST_USE struct error *clustercache_config_check(const struct clustercache_options *options);

/* Fills in what the options leave open. */
struct clustercache_config *clustercache_config_new(struct loop *loop,
                                                    const struct clustercache_options *options);
struct clustercache_config *clustercache_config_ref(struct clustercache_config *config);
void clustercache_config_free(struct clustercache_config *config); /* gives one reference back */
DEFINE_OWNED(clustercache_config)

struct clustercache {
    struct clustercache_config *config;
    struct metrics *metrics;
    struct controller *controller; /* until it is taken */
    struct queue *queue;           /* of the controller; NULL once it has stopped */
    struct map accessors;          /* by "namespace/name" */
    size_t connected;
    struct list sources;
    size_t source_count;
    struct semaphore handshakes;      /* of clusters that connect as they should */
    struct semaphore slow_handshakes; /* of those that did not the last time */
    size_t hanging;                   /* connecting for so long that they gave their permit back */
    struct scope endings;             /* fibers that tidy up behind connections and accessors */
    clustercache_probe_fn *on_probe;  /* NULL: nobody measures */
    void *on_probe_data;
    struct list old_keys; /* private keys of accessors that are gone */
    struct buf scratch;
};

/* Without a controller: it knows no cluster, and nobody tells it of one. Takes the config. */
struct clustercache *clustercache_new_idle(struct clustercache_config *config);

/* NULL when there is none. */
struct accessor *clustercache_find(const struct clustercache *cache, struct key cluster);

/* Forgets a cluster at once; what still runs for it is ended by a fiber. Sources hear nothing. */
void clustercache_forget(struct clustercache *cache, struct accessor *accessor);

/* An operation of the accessor has ended: its key is reconciled. */
void clustercache_wake(const struct accessor *accessor);

/* The reconcile itself, see docs/clustercache.md. Neither suspends nor fails. */
reconcile_fn clustercache_reconcile;

/* "connection to the workload cluster is down" behind what was attempted. */
MUST_USE struct error *clustercache_not_connected(void);
