/*
 * ClusterCache: connections to the workload clusters of a management cluster.
 *
 *     OWNED(cluster_connection) connection = NULL;
 *     TRY(clustercache_get_client(cache, KEY("default", "c1"), &connection));
 *     TRY(cluster_connection_get(connection, GVK_CONFIG_MAP, KEY("default", "a"), &object));
 *
 * A controller over Cluster objects connects to each cluster whose infrastructure is provisioned,
 * with the kubeconfig in its Secret. It probes each connection and disconnects when the cluster
 * does not answer any more. Other controllers call the functions below, which answer from the
 * current state and never wait for a cluster. A reference they return stays safe to use after the
 * connection has ended.
 *
 * Reconciles of one cluster never overlap. Connecting and probing occupy no worker of the
 * controller: a cluster that hangs costs a timer and a socket.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "clustercache/cluster_connection.h"
#include "controller/cache/cache.h"
#include "controller/queue.h"

struct clustercache;
struct controller;
struct loop;
struct metrics;
struct network;
struct proxy_environment;
struct rest_config;
struct tls_context;

/* Zero means the default, which is named first. Hidden flags of the program set these. */
struct clustercache_timing {
    duration retry;         /* 30 s: between attempts to connect */
    duration probe;         /* 10 s: between probes */
    duration probe_timeout; /* 5 s */
    uint32_t threshold;     /* 5: failed probes in a row that end the connection */
    duration sync_timeout;  /* 5 min: until the caches of a new connection are synced */
    duration fallback;      /* 10 s: after a Cluster could not be read */
    duration unauthorized;  /* 1 ms: until the connect that follows a 401 */
    double jitter;          /* 0.05: delays grow by up to this share; negative: none */
};

/* What the caches of workload clusters hold of a kind. */
struct clustercache_kind {
    struct gvk gvk;
    struct cache_options options; /* scope and transform; gvr comes from discovery */
};

/* An index that is synced before a connection counts as connected. */
struct clustercache_index {
    struct gvk gvk;
    struct str name;
    cache_index_fn *fn;
    void *data; /* of the function */
};

typedef bool clustercache_filter_fn(void *data, const struct object *cluster);

struct clustercache_options {
    struct cache *clusters; /* Cluster objects of the management cluster; required */
    struct cache *secrets;  /* kubeconfig Secrets of the management cluster; required */
    struct network *network;
    struct tls_context *tls;
    const struct proxy_environment *proxies; /* see client_options; outlives the cache */
    struct metrics *metrics;
    struct str user_agent;         /* required */
    duration timeout;              /* of a request and of a cached read; 0: 10 s */
    double qps, burst;             /* 0: 20 and 30 */
    bool (*may_write)(void *data); /* asked before every write, see client_options; NULL: yes */
    void *may_write_data;
    struct str watch_filter;
    clustercache_filter_fn *filter; /* which Clusters to connect to; NULL: all */
    void *filter_data;
    clustercache_filter_fn *was_connected; /* by an earlier process: those go first; NULL: none */
    void *was_connected_data;
    size_t concurrency; /* reconciles at a time; 0: 100 */
    size_t handshakes;  /* simultaneous attempts to connect, in each of three lines; 0: 64 */
    duration resync;    /* of the Cluster controller, see controller_options; 0: 10 min */
    bool private_keys;  /* make an RSA key per cluster, on a worker thread; deprecated */
    bool keep_pem;      /* keep certificates of rest_configs as text, which takes memory */

    const struct gvk *uncached; /* kinds that are read from the server every time */
    size_t uncached_count;
    const struct clustercache_kind *kinds;
    size_t kind_count;
    const struct clustercache_index *indexes;
    size_t index_count;
    cache_transform_fn *transform; /* of kinds without their own; NULL: drops managedFields */
    void *transform_data;
    duration sync_period; /* of the caches; 0: 10 h, varied by a tenth */

    struct clustercache_timing timing;

    /*
     * The Pod this process runs in. If all three are empty they are read from the environment:
     * POD_NAMESPACE, POD_NAME, POD_UID.
     */
    struct str pod_namespace, pod_name, pod_uid;
};

/* ERROR_INVALID if a required option is missing. Strings and tables are copied. */
MUST_USE struct error *clustercache_new(struct loop *loop,
                                        const struct clustercache_options *options,
                                        struct clustercache **ret_cache);

/* Ends every connection. The controller must have stopped. Suspends. */
void clustercache_free(struct clustercache *cache);
DEFINE_OWNED(clustercache)

/* For manager_add_controller(). The manager must be freed before the cache. Called once. */
struct controller *clustercache_take_controller(struct clustercache *cache);

/*
 * References to the connection of a cluster. The four differ in their error text alone, which for a
 * cluster without a connection is ERROR_NOT_CONNECTED with the operation in front: "error getting
 * client: connection to the workload cluster is down". So is one whose Cluster has been deleted or
 * replaced by another one of the same name, from the moment the cache of Clusters says so.
 */
MUST_USE struct error *clustercache_get_client(struct clustercache *cache, struct key cluster,
                                               struct cluster_connection **ret_connection);
MUST_USE struct error *clustercache_get_reader(struct clustercache *cache, struct key cluster,
                                               struct cluster_connection **ret_connection);
MUST_USE struct error *clustercache_get_uncached_client(struct clustercache *cache,
                                                        struct key cluster,
                                                        struct cluster_connection **ret_connection);
MUST_USE struct error *clustercache_get_rest_config(struct clustercache *cache, struct key cluster,
                                                    struct cluster_connection **ret_connection);

/*
 * The RSA key of a cluster as PEM; empty before the first connect and without options.private_keys.
 * The text is secret and lives as long as the cache.
 */
MUST_USE struct error *clustercache_get_private_key(struct clustercache *cache, struct key cluster,
                                                    struct str *ret_pem);

/*
 * Watches a kind on one cluster, under a name that is unique there. A second call with the same
 * name does nothing, so a reconcile may call it every time.
 *
 * Success means that the watch is recorded. Kind and cache follow later; that is retried until it
 * works or the connection ends. Watches end with the connection: after a reconnect they must be
 * asked for again. The struct is copied. The handler is called on the loop and must not suspend.
 */
struct clustercache_watch {
    struct str name;
    struct gvk gvk;
    void (*changed)(void *data, struct key cluster, const struct cache_event *event);
    void *data;

    /*
     * Replaces the cache and `changed` for a watch of another sort. Must not suspend and must not
     * call the ClusterCache.
     */
    struct error *(*start)(void *data, struct cluster_connection *connection);
};
MUST_USE struct error *clustercache_watch(struct clustercache *cache, struct key cluster,
                                          const struct clustercache_watch *watch);

/*
 * The HealthCheckingState of Cluster API. Times are on the clock of the loop, for comparisons, and
 * on the wall clock, for people. Zero means never.
 */
struct clustercache_health {
    int64_t last_probe, last_success;
    timestamp last_probe_wall, last_success_wall;
    uint32_t failures; /* in a row */
    bool is_connected;
    bool is_lost; /* see accessor_health_is_lost() */
    struct str
        problem; /* why the last attempt or probe failed; borrowed until the next suspension */
};
struct clustercache_health clustercache_get_health(const struct clustercache *cache,
                                                   struct key cluster);

/*
 * For a cluster without a connection: how long it takes until the next attempt to connect, one
 * second at least.
 */
duration clustercache_next_try(const struct clustercache *cache, struct key cluster);

/* Whether there is an accessor for the cluster, with or without a connection. */
bool clustercache_knows(const struct clustercache *cache, struct key cluster);

/*
 * False while a Cluster that is to be connected to has not been looked at yet: at the start, and on
 * a process that does not lead. It stays true. Who asks all clusters waits for it, so that none is
 * left out silently.
 */
bool clustercache_knows_all(struct clustercache *cache);

/* Calls visit() for each cluster with an accessor, in no particular order. It must not suspend. */
typedef void clustercache_visit_fn(void *data, struct key cluster);
void clustercache_visit(const struct clustercache *cache, clustercache_visit_fn *visit, void *data);

/*
 * Tells a controller of connects and disconnects, and of probes that have not succeeded for one of
 * the durations (WatchForProbeFailure of Cluster API). The map function adds keys to the queue of
 * that controller and must not suspend. Sources are added before the controller of the cache starts
 * and stay for good.
 */
typedef void clustercache_map_fn(void *data, const struct object *cluster, struct queue *queue,
                                 int priority);
struct clustercache_source {
    struct str controller; /* its name, for logs */
    struct queue *queue;   /* of that controller; outlives the controller of the cache */
    clustercache_map_fn *map;
    void *data;
    const duration *probe_failures;
    size_t probe_failure_count;
};
void clustercache_add_source(struct clustercache *cache, const struct clustercache_source *source);

/*
 * For measurements: called when a probe starts, with the time at which it was due. Must not suspend
 * and must not call the ClusterCache.
 */
typedef void clustercache_probe_fn(void *data, struct key cluster, int64_t due);
void clustercache_on_probe(struct clustercache *cache, clustercache_probe_fn *fn, void *data);

/* For measurements. */
size_t clustercache_count(const struct clustercache *cache);     /* clusters with an accessor */
size_t clustercache_connected(const struct clustercache *cache); /* clusters with a connection */
