/*
 * The fixture of the ClusterCache scenarios: a ClusterCache, its management cluster and a workload
 * cluster, in one process and in virtual time.
 *
 * The management cluster is the main API of the embedded server; workload clusters are its virtual
 * clusters. Cluster default/c is vc-0001 behind a proxy, which records requests and injects faults.
 * A second proxy in front of the same virtual cluster has another host name. The test speaks to
 * both APIs directly. "R" of the scenarios is cc_fixture_reconcile().
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
#include "support/proxy/apiserver_fixture.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define CC_FIXTURE_CLUSTERS "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters"
#define CC_FIXTURE_SECRETS  "/api/v1/namespaces/default/secrets"
#define CC_FIXTURE_WORKLOAD "/clusters/vc-0001"
#define CC_FIXTURE_NODES    CC_FIXTURE_WORKLOAD "/api/v1/nodes"
#define CC_FIXTURE_KEY      KEY("default", "c")
#define CC_FIXTURE_HOST     "http://workload.test"
#define CC_FIXTURE_OTHER    "http://other.test"
#define CC_FIXTURE_NODE     GVK("", "v1", "Node")

/* Metric series of default/c. */
#define CC_FIXTURE_LABELS  "{cluster_name=\"c\",cluster_namespace=\"default\""
#define CC_FIXTURE_UP      "capi_cluster_cache_connection_up" CC_FIXTURE_LABELS "}"
#define CC_FIXTURE_HEALTHY "capi_cluster_cache_healthcheck" CC_FIXTURE_LABELS "}"
#define CC_FIXTURE_SUCCESS \
    "capi_cluster_cache_healthchecks_total" CC_FIXTURE_LABELS ",status=\"success\"}"
#define CC_FIXTURE_ERROR \
    "capi_cluster_cache_healthchecks_total" CC_FIXTURE_LABELS ",status=\"error\"}"

struct cc_fixture;

struct cc_fixture_proxy {
    struct cc_fixture *fixture;
    struct http_server *server;
};

struct cc_fixture {
    struct apiserver_fixture apiserver;
    struct rest_config config;
    struct client *client;
    struct cache_set *set;
    struct metrics *metrics;
    struct clustercache *cache;
    struct controller *controller;
    struct scope running;
    struct cc_fixture_proxy proxies[2];
    struct buf token; /* of the admin of the workload cluster */

    /* What both proxies do. */
    int status;        /* the answer to requests that match; 0: the server is asked */
    const char *part;  /* of the targets that match; NULL: "/?", which are probes */
    duration delay;    /* before every answer */
    bool hangs;        /* no answer at all */
    bool is_old;       /* no aggregated discovery, as before Kubernetes 1.26 */
    const char *wants; /* the only token that is not answered with 401; NULL: any */
    size_t streams;    /* open watches */
    struct buf asked;  /* "METHOD target\n" */
    struct buf agent, accept, authorization; /* of the last request */

    uint64_t ended_streams; /* how often cc_fixture_end_streams() was called */
    const char *last_event; /* the last line of an ended stream; NULL: none */

    struct buf log;
};

void cc_fixture_init(struct cc_fixture *fixture, size_t clusters);
void cc_fixture_done(struct cc_fixture *fixture);

/* Options of a ClusterCache without jitter. */
struct clustercache_options cc_fixture_options(struct cc_fixture *fixture);

/* Nodes by spec.providerID. */
extern const struct clustercache_index cc_fixture_node_index;

/* Makes the ClusterCache. NULL: with cc_fixture_options(). */
void cc_fixture_start(struct cc_fixture *fixture, const struct clustercache_options *options);

/* Runs its controller until cc_fixture_stop(). Most tests reconcile by hand instead. */
void cc_fixture_run(struct cc_fixture *fixture);
void cc_fixture_stop(struct cc_fixture *fixture);

/* Write objects of the management cluster, and return when the caches have seen them. */
void cc_fixture_cluster(struct cc_fixture *fixture, const char *name, bool provisioned);
void cc_fixture_remove_cluster(struct cc_fixture *fixture, const char *name);
void cc_fixture_secret(struct cc_fixture *fixture, const char *name,
                       const char *kubeconfig); /* creates or replaces it */
void cc_fixture_settle(void);

/* Lets two minutes pass, unless the controller runs: attempts to connect come every 30 s then. */
void cc_fixture_grow_old(const struct cc_fixture *fixture);

/* Creates Cluster default/c, two minutes old unless the controller runs, and its Secret. */
void cc_fixture_ready(struct cc_fixture *fixture);

/* A kubeconfig for a server with a token. The caller frees it. */
char *cc_fixture_kubeconfig(const char *server, const char *token);

/* Writes such a kubeconfig into the Secret of default/c. */
void cc_fixture_credentials(struct cc_fixture *fixture, const char *server, const char *token);

/* A kubeconfig for a virtual cluster over TLS, without proxy; impersonates a user, or NULL. */
void cc_fixture_tls_kubeconfig(struct cc_fixture *fixture, size_t index, const char *as,
                               struct buf *out);

/* Writes such a kubeconfig into the Secret of default/c. The user is in system:masters. */
void cc_fixture_tls_credentials(struct cc_fixture *fixture, size_t index, const char *as);

/*
 * Reconciles default/c. If that starts an operation, waits for its end and reconciles again.
 * Returns the delay of the requeue; 0 for none.
 */
duration cc_fixture_reconcile(struct cc_fixture *fixture);

/* The same after a while. */
duration cc_fixture_reconcile_after(struct cc_fixture *fixture, duration span);

/* Fails the test unless both are equal within 10 ms. */
void cc_fixture_check_delay(duration seen, duration expected);

struct accessor *cc_fixture_accessor(const struct cc_fixture *fixture);
bool cc_fixture_is_connected(const struct cc_fixture *fixture);

/* Makes everything up to a connected default/c, and clears the recorded requests. */
void cc_fixture_connect(struct cc_fixture *fixture);

/* Makes everything but the Secret of default/c, so that the first connect has failed. */
void cc_fixture_fail_to_connect(struct cc_fixture *fixture);

/* How often a text is in the recorded requests, such as "GET /?timeout=5s\n". */
size_t cc_fixture_count(const struct cc_fixture *fixture, const char *part);
void cc_fixture_forget(struct cc_fixture *fixture);

/* Ends every open watch of the workload cluster, after this line if it is not NULL. */
void cc_fixture_end_streams(struct cc_fixture *fixture, const char *line);

/* The value of a metric series as text; "-" when there is none. */
const char *cc_fixture_metric(struct cc_fixture *fixture, const char *name);
size_t cc_fixture_series(struct cc_fixture *fixture); /* capi_cluster_cache_* series */

bool cc_fixture_logged(const struct cc_fixture *fixture, const char *text);

int cc_fixture_call(struct cc_fixture *fixture, const char *method, const char *target,
                    const char *body);
void cc_fixture_do(struct cc_fixture *fixture, const char *method, const char *target,
                   const char *body);
void cc_fixture_node(struct cc_fixture *fixture, const char *name, const char *provider_id);
