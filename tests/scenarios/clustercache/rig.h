/*
 * A ClusterCache, the management cluster it works for, and a workload cluster, in virtual time.
 *
 * The management cluster is the main API of the embedded server, workload clusters are its virtual
 * ones. Cluster default/c is vc-0001 behind a proxy that notes what is asked, and misbehaves where
 * it is told to; a second proxy, to the same, has another name. The test speaks to both APIs
 * directly. "R" of the scenarios is rig_reconcile().
 */
#pragma once

#include "apiserver/apiserver.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/metrics.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache.h"
#include "clustercache/clustercache_internal.h"
#include "http/client.h"
#include "json/json.h"
#include "support/proxy/desk.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define RIG_CLUSTERS "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters"
#define RIG_SECRETS  "/api/v1/namespaces/default/secrets"
#define RIG_WORKLOAD "/clusters/vc-0001"
#define RIG_NODES    RIG_WORKLOAD "/api/v1/nodes"
#define RIG_KEY      KEY("default", "c")
#define RIG_HOST     "http://workload.test"
#define RIG_OTHER    "http://other.test"
#define RIG_NODE     GVK("", "v1", "Node")

/* Series of default/c. */
#define RIG_LABELS  "{cluster_name=\"c\",cluster_namespace=\"default\""
#define RIG_UP      "capi_cluster_cache_connection_up" RIG_LABELS "}"
#define RIG_HEALTHY "capi_cluster_cache_healthcheck" RIG_LABELS "}"
#define RIG_SUCCESS "capi_cluster_cache_healthchecks_total" RIG_LABELS ",status=\"success\"}"
#define RIG_ERROR   "capi_cluster_cache_healthchecks_total" RIG_LABELS ",status=\"error\"}"

struct rig;

struct rig_proxy {
    struct rig *rig;
    struct http_server *server;
};

struct rig {
    struct desk desk;
    struct rest_config config;
    struct client *client;
    struct cache_set *set;
    struct metrics *metrics;
    struct clustercache *cache;
    struct controller *controller;
    struct scope running;
    struct rig_proxy proxies[2];
    struct buf token; /* of the workload cluster's admin */

    /* The proxies. */
    int status;                              /* answered to what matches; 0: the server is asked */
    const char *part;                        /* of the target; NULL: "/?", probes */
    duration delay;                          /* before anything is answered */
    bool hangs;                              /* nothing is answered */
    const char *wants;                       /* the token without which it is a 401; NULL: any */
    size_t streams;                          /* open watches */
    struct buf asked;                        /* "METHOD target\n" */
    struct buf agent, accept, authorization; /* of the last request */

    uint64_t ended_streams; /* how often they were */
    const char *last_event; /* sent before; NULL: none */

    struct buf log;
};

void rig_init(struct rig *rig, size_t clusters);
void rig_done(struct rig *rig);

/* What a ClusterCache needs, without jitter. */
struct clustercache_options rig_options(struct rig *rig);

/* Nodes by spec.providerID. */
extern const struct clustercache_index rig_node_index;

/* NULL: those. */
void rig_start(struct rig *rig, const struct clustercache_options *options);

/* Its controller runs until rig_stop(). */
void rig_run(struct rig *rig);
void rig_stop(struct rig *rig);

/* Objects of the management cluster; seen by the caches when it returns. */
void rig_cluster(struct rig *rig, const char *name, bool provisioned);
void rig_remove_cluster(struct rig *rig, const char *name);
void rig_secret(struct rig *rig, const char *name, const char *kubeconfig); /* or a new one */
void rig_settle(void);

/* Cluster default/c with its Secret. */
void rig_ready(struct rig *rig);

/* Kubeconfig for a server with a token; the caller frees it. */
char *rig_kubeconfig(const char *server, const char *token);

/* The Secret of default/c for a server and a token. */
void rig_credentials(struct rig *rig, const char *server, const char *token);

/* Kubeconfig for a virtual cluster over TLS, without the proxies; as another user, or NULL. */
void rig_tls_kubeconfig(struct rig *rig, size_t index, const char *as, struct buf *out);

/* The Secret of default/c is such a one. The user may do everything. */
void rig_tls_credentials(struct rig *rig, size_t index, const char *as);

/* One reconcile of default/c, with what it starts and what follows that: the delay, 0 for none. */
duration rig_reconcile(struct rig *rig);

/* Time goes by, then rig_reconcile(). */
duration rig_reconcile_after(struct rig *rig, duration span);

/* Fails the test unless both are the same within some milliseconds. */
void rig_check_delay(duration seen, duration expected);

struct accessor *rig_accessor(const struct rig *rig);
bool rig_is_connected(const struct rig *rig);

/* Set up, connected, and what was asked for that forgotten. */
void rig_connect(struct rig *rig);

/* Set up without the Secret of default/c: an attempt to connect has failed. */
void rig_fail_to_connect(struct rig *rig);

/* How often this was asked of the workload cluster: "GET /?timeout=5s\n". */
size_t rig_count(const struct rig *rig, const char *part);
void rig_forget(struct rig *rig);

/* Every open watch of the workload cluster ends, after this line if there is one. */
void rig_end_streams(struct rig *rig, const char *line);

/* The value of a series of default/c as text; "-" when there is none. */
const char *rig_metric(struct rig *rig, const char *name);
size_t rig_series(struct rig *rig); /* capi_cluster_cache_* series */

bool rig_logged(const struct rig *rig, const char *text);

int rig_call(struct rig *rig, const char *method, const char *target, const char *body);
void rig_do(struct rig *rig, const char *method, const char *target, const char *body);
void rig_node(struct rig *rig, const char *name, const char *provider_id);
