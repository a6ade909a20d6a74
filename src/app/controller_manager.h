/*
 * The controller process: clients, caches, ClusterCache, ClusterResourceSet controllers, manager.
 *
 *     OWNED(controller_manager) controllers = NULL;
 *     TRY(controller_manager_new(loop, &options, &controllers));
 *     TRY(controller_manager_run(controllers));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/crs_controllers.h"
#include "fleet/fleet.h"

struct controller_manager;
struct loop;
struct metrics;
struct network;
struct proxy_environment;
struct rest_config;
struct tls_context;

struct controller_manager_options {
    const struct rest_config *config; /* of the management cluster; outlives the controllers */
    struct network *network;
    struct network *guarded_network; /* for writes that need the Lease; NULL: network */
    struct network *cluster_network; /* for workload clusters; NULL: network */
    struct tls_context *tls;
    const struct proxy_environment *proxies; /* for all clusters; outlives the controllers */
    struct str user_agent;

    struct str namespace;    /* to watch; empty: all */
    struct str watch_filter; /* empty: none */
    duration sync_period;    /* 0: 10 min */
    double qps, burst;       /* of the management client, for each kind; 0: no limit, and 200 */

    size_t concurrency;       /* sets at a time; 0: 10 */
    size_t apply_concurrency; /* clusters at a time; 0: 1024 */
    size_t threads;           /* for turns, see cpu_turn_use_threads(); 0 and 1: the loop alone */
    bool needs_control_plane, topology_may_hold;
    enum crs_reconcile_with reconcile_with;
    duration drift_check; /* 0: 5 min */
    bool drift_watch;     /* watch instead; see crs_controllers.h */
    bool no_events;       /* record no Events */
    bool owns_clusters;   /* Cluster API does not run: see remote_connection_probe_options */

    size_t cluster_concurrency;        /* of the ClusterCache; 0: 100 */
    double cluster_qps, cluster_burst; /* 0: 20 and 30 */
    struct clustercache_timing timing;

    bool leader_elect;
    struct str lease_namespace, lease_name; /* empty: the config's, "corset.corset.dev" */
    struct str lease_identity;              /* empty: the host name and a random UUID */
    duration lease_duration, renew_deadline, retry_period;

    struct str health_host, diagnostics_host; /* empty: none */
    uint16_t health_port, diagnostics_port;
    bool insecure_diagnostics;

    struct str web_host; /* of the fleet's page; empty: none */
    uint16_t web_port;
    bool web_has_tokens;     /* TLS and tokens; else plain HTTP and a key */
    struct str web_cert_dir; /* empty: a certificate is made */

    struct str fleet_host; /* of the fleet API, see app/fleet_server.h; empty: none */
    uint16_t fleet_port;
    struct str fleet_cert_dir;  /* empty: a certificate is issued */
    struct key fleet_secret;    /* of its authority; no name: none is kept */
    struct fleet_options fleet; /* limits and identity; the rest is set here */
};

/* ERROR_INVALID for options that contradict each other. */
MUST_USE struct error *controller_manager_new(struct loop *loop,
                                              const struct controller_manager_options *options,
                                              struct controller_manager **ret_controllers);

/* Must not be called while controller_manager_run() is running. Suspends. */
void controller_manager_free(struct controller_manager *controllers);
DEFINE_OWNED(controller_manager)

/* The address of the fleet's page; empty: there is none. See fleet_page_address(). */
struct str controller_manager_page(const struct controller_manager *controllers);
/* The connections to workload clusters, and the metrics of the process, for what goes along. */
struct clustercache *controller_manager_clusters(const struct controller_manager *controllers);
struct metrics *controller_manager_metrics(const struct controller_manager *controllers);

/* Runs until the fiber is cancelled, which is success. See manager_run(). Suspends. */
MUST_USE struct error *controller_manager_run(struct controller_manager *controllers);
