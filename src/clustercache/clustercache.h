/*
 * ClusterCache: every workload cluster at hand, none of them in the way.
 *
 *     OWNED(cluster_connection) connection = NULL;
 *     TRY(clustercache_get_client(cache, KEY("default", "c1"), &connection));
 *     TRY(cluster_connection_get(connection, GVK_CONFIG_MAP, KEY("default", "a"), &object));
 *
 * A controller over Cluster objects connects to each cluster whose infrastructure is provisioned
 * with the kubeconfig of its Secret, probes it and lets it go when it no longer answers. Everybody
 * else asks: the calls below answer from what is known now and never wait for a cluster. What they
 * hand out is a reference that stays safe to use, also after the connection has ended.
 *
 * Reconciles of one cluster follow each other, those of different clusters share nothing: a cluster
 * that hangs costs a timer and a socket.
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
struct rest_config;
struct tls_context;

/* Zero means the default that stands behind each. Hidden flags of the program set them. */
struct clustercache_timing {
    duration retry;         /* 30 s: between attempts to connect */
    duration probe;         /* 10 s: between probes */
    duration probe_timeout; /* 5 s */
    uint32_t threshold;     /* 5 probes that failed in a row end the connection */
    duration sync_timeout;  /* 5 min: until the caches of a new connection are synced */
    duration fallback;      /* 10 s: when a Cluster could not be read */
    duration unauthorized;  /* 1 ms: until a connection is tried anew after a 401 */
    double jitter;          /* delays grow by up to this share, never less; 0: 0.05. < 0: none */
};

/* What a workload cache holds of a kind. */
struct clustercache_kind {
    struct gvk gvk;
    struct cache_options options; /* scope and transform; gvr is found out */
};

/* An index that every connection has from its beginning. */
struct clustercache_index {
    struct gvk gvk;
    struct str name;
    cache_index_fn *fn;
};

typedef bool clustercache_filter_fn(void *data, const struct object *cluster);

struct clustercache_options {
    struct cache *clusters; /* Cluster objects of the management cluster; required */
    struct cache *secrets;  /* kubeconfig Secrets of the management cluster; required */
    struct network *network;
    struct tls_context *tls;
    struct metrics *metrics;
    struct str user_agent; /* required */
    duration timeout;      /* of a request and of a cached read; 0: 10 s */
    double qps, burst;     /* 0: 20 and 30 */
    struct str watch_filter;
    clustercache_filter_fn *filter; /* which Clusters to care for; NULL: all */
    void *filter_data;
    size_t concurrency; /* reconciles at a time; 0: 100 */
    size_t handshakes;  /* connections that are being made at a time; 0: 64 */
    duration resync;    /* of the Cluster controller, see controller_options; 0: 10 min */
    bool private_keys;  /* one RSA key per cluster, made on a worker thread; deprecated */

    const struct gvk *uncached; /* kinds that cached reads ask the server for all the same */
    size_t uncached_count;
    const struct clustercache_kind *kinds;
    size_t kind_count;
    const struct clustercache_index *indexes;
    size_t index_count;
    cache_transform_fn *transform; /* of kinds that have no other; NULL: drops managedFields */
    duration sync_period;          /* of workload caches; 0: 10 h, a tenth more or less */

    struct clustercache_timing timing;

    /* The Pod this process runs in; all three empty: from POD_NAMESPACE, POD_NAME and POD_UID. */
    struct str pod_namespace, pod_name, pod_uid;
};

/* ERROR_INVALID for options that lack something. Texts and tables are copied. */
MUST_USE struct error *clustercache_new(struct loop *loop,
                                        const struct clustercache_options *options,
                                        struct clustercache **ret_cache);

/* Its controller has stopped. Ends every connection. Suspends. */
void clustercache_free(struct clustercache *cache);
DEFINE_OWNED(clustercache)

/* To be given to a manager, who frees it before the cache is freed. Once. */
struct controller *clustercache_take_controller(struct clustercache *cache);

/*
 * References to the connection of a cluster. Without one the error is ERROR_NOT_CONNECTED and says
 * which operation it was: "error getting client: connection to the workload cluster is down".
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

/* PEM, secret; lives as long as the cache. With private_keys alone. */
MUST_USE struct error *clustercache_get_private_key(struct clustercache *cache, struct key cluster,
                                                    struct str *ret_pem);

/*
 * Asks for events of a kind of one cluster under a name that is unique there. Told twice it is one
 * watch. Success means "asked for": the kind is looked up and the cache loaded later, and that is
 * tried again until it works or the connection ends. After a reconnect it is to be asked for anew.
 * The handler is copied; it is called on the loop and must not suspend.
 */
struct clustercache_watch {
    struct str name;
    struct gvk gvk;
    void (*changed)(void *data, struct key cluster, const struct cache_event *event);
    void *data;

    /* What a watch of another sort does instead; neither suspends nor calls back. NULL: the above.
     */
    struct error *(*start)(void *data, struct cluster_connection *connection);
};
MUST_USE struct error *clustercache_watch(struct clustercache *cache, struct key cluster,
                                          const struct clustercache_watch *watch);

/* Zero: never. "Last" times are on the loop's clock for comparing and on the wall's for people. */
struct clustercache_health {
    int64_t last_probe, last_success;
    timestamp last_probe_wall, last_success_wall;
    uint32_t failures; /* in a row */
};
struct clustercache_health clustercache_get_health(const struct clustercache *cache,
                                                   struct key cluster);

/*
 * Tells a controller of connections made and lost, and of probes that have not succeeded for one of
 * the durations. The map function notes keys in the queue; it neither suspends nor fails. Before
 * the controller runs, keys wait in its queue. Registered for good; to be called before the start.
 */
typedef void clustercache_map_fn(void *data, const struct object *cluster, struct queue *queue,
                                 int priority);
struct clustercache_source {
    struct str controller; /* its name, for logs */
    struct queue *queue;   /* of the controller; outlives the cache's run */
    clustercache_map_fn *map;
    void *data;
    const duration *probe_failures;
    size_t probe_failure_count;
};
void clustercache_add_source(struct clustercache *cache, const struct clustercache_source *source);

/*
 * For measurements: called when a probe begins, with the time at which it should have. It neither
 * suspends nor calls back.
 */
typedef void clustercache_probe_fn(void *data, struct key cluster, int64_t due);
void clustercache_on_probe(struct clustercache *cache, clustercache_probe_fn *fn, void *data);

/* For people and measurements. */
size_t clustercache_count(const struct clustercache *cache);     /* accessors */
size_t clustercache_connected(const struct clustercache *cache); /* with a connection */
