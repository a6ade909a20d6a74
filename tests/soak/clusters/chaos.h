/*
 * One simulated run of a ClusterCache over clusters whose servers come and go.
 *
 * The management cluster and every workload cluster are small HTTP servers on one loop in virtual
 * time. They answer what a connection needs (/, discovery, Nodes) and count their answers, so that
 * the metrics and logs of the ClusterCache can be compared with what the servers saw. A run depends
 * on the seed alone. Its trace has a hash, which is the result of the run.
 *
 * A run of outages kills and restarts servers for half an hour of virtual time. A run of rotation
 * changes credentials every minute while consumers call all the time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "async/event.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/random.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache.h"
#include "soak/clusters/collection.h"
#include "support/simulation/trace.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define CHAOS_NODE  GVK("", "v1", "Node")
#define CHAOS_NODES 3 /* of each cluster */

struct chaos;

/* What is wrong with the server of a cluster. */
enum outage {
    OUTAGE_NONE,
    OUTAGE_KILLED,       /* no listener, connections are cut */
    OUTAGE_BLACK_HOLE,   /* packets vanish */
    OUTAGE_BREAKING,     /* connections break now and then */
    OUTAGE_SLOW,         /* answers take long, some too long */
    OUTAGE_FAILING,      /* 500 */
    OUTAGE_UNAUTHORIZED, /* 401 */
    OUTAGE_COUNT,
};

/* A workload cluster: its server, what the server has seen, and its consumer. */
struct workload_cluster {
    struct chaos *chaos;
    size_t index;
    char name[16], host[24];
    struct key key;
    struct http_server *server; /* NULL: killed */
    struct collection nodes;
    struct random dice;
    enum outage outage;
    int64_t since;     /* this outage, or good health */
    int64_t was_lossy; /* the last moment of an outage in which bytes were lost or late */

    /* Answers to GET /: given without an outage, and those that the client may or may not have
     * received. */
    size_t good, good_perhaps;
    size_t refused, refused_perhaps; /* not 2xx */
    int64_t answered;                /* the last */
    bool answered_good;

    /* The consumer of its connection. */
    bool is_told; /* by the source: connect or disconnect */
    struct event told;
    size_t tellings, events;
    uint64_t seen; /* the newest resourceVersion of a Node event */

    /* Credentials. */
    uint64_t token, refused_below; /* the newest; the server refuses tokens below the second */
    size_t calls, bad_tokens;
};

/* Lines in the log of the ClusterCache. */
struct chaos_log {
    size_t connected, moved, disconnected;
    size_t unreachable, unfinished; /* failed connects: before and after an answer to GET / */
};

struct chaos_options {
    uint64_t seed;
    size_t clusters;
    bool rotates; /* instead of outages */
    bool verbose;
};

struct chaos {
    struct chaos_options options;
    struct network *network;
    struct tls_context *tls;
    struct tls_server *tls_server;
    struct buf authority; /* PEM */
    struct http_server *management;
    struct collection clusters, secrets;
    struct workload_cluster *workload_clusters;
    struct random dice;

    /* The process under test. */
    struct rest_config config;
    struct client *client;
    struct cache_set *set;
    struct metrics *metrics;
    struct clustercache *cache;
    struct controller *controller;
    struct scope running;

    struct chaos_log log;
    struct trace trace;
};

/* Uniformly from [least, most). */
duration chaos_span(struct random *dice, duration least, duration most);

/* management.c: the management cluster, with Clusters and kubeconfig Secrets. Suspend. */
void chaos_management_open(struct chaos *chaos);
void chaos_management_close(struct chaos *chaos);
void chaos_management_rotate(struct chaos *chaos,
                             size_t index); /* writes a new kubeconfig into the Secret */

/* workload_cluster.c: a cluster and its outages. Suspend. */
void workload_cluster_init(struct workload_cluster *cluster, struct chaos *chaos, size_t index);
void workload_cluster_done(struct workload_cluster *cluster);
void workload_cluster_turn(struct workload_cluster *cluster, enum outage outage);
void workload_cluster_change_node(struct workload_cluster *cluster);

/* process.c: the ClusterCache and its consumers. Suspend. */
void chaos_process_open(struct chaos *chaos);
void chaos_process_close(struct chaos *chaos);

/* check.c: fail the test. */
void chaos_check_settled(struct chaos *chaos); /* all connected, every watch attached */
void chaos_check_moment(struct chaos *chaos);
void chaos_check_counts(struct chaos *chaos);

/* What a process must not leak. */
struct chaos_footprint {
    size_t fibers, timers, connections;
};
struct chaos_footprint chaos_footprint(const struct chaos *chaos);
/* Suspends. */
void chaos_check_footprint(const struct chaos *chaos, struct chaos_footprint before);

/* outages.c, rotation.c: the two sorts of run, on the main fiber. Suspend. */
void chaos_outages(struct chaos *chaos);
void chaos_rotation(struct chaos *chaos);

/* run.c: a whole run on its own loop. Returns the hash of the trace. */
uint64_t chaos_run(const struct chaos_options *options);
