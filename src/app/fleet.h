/*
 * The controllers as one process has them: clients, caches, ClusterCache, resource sets, manager.
 *
 *     OWNED(fleet) fleet = NULL;
 *     TRY(fleet_new(loop, &(struct fleet_options){.config = &config, ...}, &fleet));
 *     TRY(fleet_run(fleet));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "clustercache/clustercache.h"

struct fleet;
struct loop;
struct metrics;
struct network;
struct crs_controllers;
struct rest_config;
struct tls_context;

struct fleet_options {
    const struct rest_config *config; /* of the management cluster; outlives the fleet */
    struct network *network;
    struct network *guarded_network; /* of writes that only a leader makes; NULL: the same */
    struct tls_context *tls;
    struct str user_agent;

    struct str namespace;    /* to watch; empty: all */
    struct str watch_filter; /* empty: none */
    duration sync_period;    /* 0: 10 min */
    double qps, burst;       /* of the management client, for each kind; 0: no limit, and 200 */

    size_t concurrency;       /* sets at a time; 0: 10 */
    size_t apply_concurrency; /* clusters at a time; 0: 1024 */
    bool needs_control_plane, topology_may_hold;
    bool no_events; /* nothing is told to people in Events */

    size_t cluster_concurrency;        /* of the ClusterCache; 0: 100 */
    double cluster_qps, cluster_burst; /* 0: 20 and 30 */
    struct clustercache_timing timing;

    bool leader_elect;
    struct str lease_namespace, lease_name; /* empty: the config's, "corset.corset.dev" */
    duration lease_duration, renew_deadline, retry_period;

    struct str health_host, diagnostics_host; /* empty: none */
    uint16_t health_port, diagnostics_port;
    bool insecure_diagnostics;
};

/* ERROR_INVALID for options that do not fit each other. */
MUST_USE struct error *fleet_new(struct loop *loop, const struct fleet_options *options,
                                 struct fleet **ret_fleet);

/* It does not run. Suspends. */
void fleet_free(struct fleet *fleet);
DEFINE_OWNED(fleet)

/* Runs until the fiber is cancelled, which is success. See manager_run(). Suspends. */
MUST_USE struct error *fleet_run(struct fleet *fleet);

/* For tests, measurements and people. */
struct clustercache *fleet_clustercache(struct fleet *fleet);
struct crs_controllers *fleet_crs_controllers(struct fleet *fleet);
struct metrics *fleet_metrics(struct fleet *fleet);
uint16_t fleet_health_port(const struct fleet *fleet);
uint16_t fleet_diagnostics_port(const struct fleet *fleet);
