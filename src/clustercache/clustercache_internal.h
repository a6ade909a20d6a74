/* The ClusterCache from the inside: for the sources of this folder and their tests. */
#pragma once

#include "async/cpu_turn.h"
#include "async/scope.h"
#include "async/semaphore.h"
#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "client/answer.h"
#include "clustercache/accessor.h"
#include "clustercache/clustercache.h"
#include "controller/controller.h"

struct discovery_pool;

/*
 * The options, with defaults filled in and strings copied. Shared by reference, because connections
 * may outlive the cache.
 */
struct clustercache_config {
    size_t references;
    struct loop *loop;
    struct clustercache_options options;
    struct discovery_pool *pool;
    struct answer_pool answers; /* of all clusters */
    bool has_own_pod;           /* the Pod of this process is known: see self_hosted.h */
    struct arena texts;
};

/* ERROR_INVALID if a required option is missing. */
MUST_USE struct error *clustercache_config_check(const struct clustercache_options *options);

/* Fills in defaults. */
struct clustercache_config *clustercache_config_new(struct loop *loop,
                                                    const struct clustercache_options *options);
struct clustercache_config *clustercache_config_ref(struct clustercache_config *config);
void clustercache_config_free(struct clustercache_config *config); /* gives one reference back */
DEFINE_OWNED(clustercache_config)

struct clustercache {
    struct clustercache_config *config;
    struct metrics *metrics;
    struct controller *controller; /* NULL once it is taken */
    struct queue *queue;           /* of the controller; NULL once the controller has stopped */
    struct map accessors;          /* by "namespace/name" */
    size_t connected;
    bool knows_all; /* see clustercache_knows_all() */
    struct list sources;
    size_t source_count;
    struct semaphore handshakes;       /* permits for connects, see connect.c */
    struct semaphore known_handshakes; /* permits for clusters that were connected once */
    struct semaphore slow_handshakes;  /* permits for clusters whose last connect was slow */
    size_t hanging;       /* connects that gave their permit back because they take long */
    struct scope endings; /* fibers that free connections and accessors */
    clustercache_probe_fn *on_probe; /* may be NULL */
    void *on_probe_data;
    struct cpu_gate asking; /* of requests of questions, see clustercache_each.c */
    struct list old_keys;   /* of accessors that are gone: callers may still read them */
    struct buf scratch;     /* for the key of a lookup */
};

/* A cache without a controller, so it never learns of a cluster. Takes the config. */
struct clustercache *clustercache_new_idle(struct clustercache_config *config);

/* The accessor of a cluster, or NULL. */
struct accessor *clustercache_find(const struct clustercache *cache, struct key cluster);

/*
 * Disconnects, and removes accessor and metric series at once. A fiber waits for operations that
 * still run and frees the accessor. Sources are not told.
 */
void clustercache_forget(struct clustercache *cache, struct accessor *accessor);

/* What the status of a Cluster says of its initialization. */
bool clustercache_is_provisioned(const struct object *cluster);
bool clustercache_is_initialized(const struct object *cluster);

/* Queues the key of the accessor. Called when an operation has ended. */
void clustercache_wake(const struct accessor *accessor);

/* The reconcile: docs/clustercache.md, "What a reconcile does". Neither suspends nor fails. */
reconcile_fn clustercache_reconcile;

/* "connection to the workload cluster is down"; callers put the operation in front. */
MUST_USE struct error *clustercache_not_connected(void);
