/*
 * The ClusterResourceSet controllers: they apply the resources that sets name to the clusters that
 * the sets select.
 *
 * There are three controllers with a queue each. The first reconciles a set as a whole when the set
 * or a resource it names changes: finalizer, pause, selection, resources, status. The second
 * reconciles a placement, that is one set on one cluster. Placements are independent: each has its
 * own back-off, an event of one cluster touches that cluster alone, and a cluster that hangs delays
 * no other. The third deletes the bindings of clusters that are deleted.
 *
 *     controllers = crs_controllers_new(loop, &options);
 *     manager_add_controller(manager, crs_controllers_take(controllers, CRS_CONTROLLER_SETS));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct cache;
struct cache_set;
struct client;
struct clustercache;
struct controller;
struct loop;
struct metrics;
struct recorder;
struct crs_controllers;

/* How sets with strategy Reconcile are applied. */
enum crs_reconcile_with {
    CRS_SERVER_SIDE_APPLY, /* what others set stays */
    CRS_MERGE_PATCH,       /* as Cluster API does: what the manifest does not name is removed */
};

struct crs_controllers_options {
    struct client *client;    /* of the management cluster */
    struct cache_set *caches; /* of the management cluster: sets, resources and bindings */
    struct cache *clusters;   /* Cluster objects; shared with the ClusterCache */
    struct clustercache *clustercache;
    struct recorder *recorder; /* NULL: no events */
    struct metrics *metrics;
    struct str namespace;     /* empty: all of them */
    struct str watch_filter;  /* of the label cluster.x-k8s.io/watch-filter; empty: everything */
    duration sync_period;     /* 0: 10 min */
    size_t concurrency;       /* sets at a time; 0: 10 */
    size_t apply_concurrency; /* placements at a time; 0: 1024 */
    duration apply_timeout;   /* of a placement, plus 250 ms for each object; 0: 5 min */
    bool is_elected;          /* another process did the work until this one was elected */
    bool needs_control_plane; /* skip clusters whose control plane is not initialized */
    bool topology_may_hold;   /* Cluster API runs with RuntimeSDK and ClusterTopology */
    enum crs_reconcile_with reconcile_with;
    duration drift_check; /* of a cluster, for sets whose policy minds drift; 0: 5 min */
    bool drift_watch;     /* watch for drift; drift_check is for what cannot be watched */
};

struct crs_controllers *crs_controllers_new(struct loop *loop,
                                            const struct crs_controllers_options *options);
void crs_controllers_free(struct crs_controllers *controllers); /* after its controllers */
DEFINE_OWNED(crs_controllers)

enum crs_controller {
    CRS_CONTROLLER_SETS,       /* "clusterresourceset" */
    CRS_CONTROLLER_PLACEMENTS, /* "clusterresourceset-cluster" */
    CRS_CONTROLLER_BINDINGS,   /* "clusterresourcesetbinding" */
    CRS_CONTROLLER_DRIFT,      /* "clusterresourceset-drift" */
    CRS_CONTROLLER_HEALTH,     /* "clusterresourceset-health" */
    CRS_CONTROLLER_COUNT,
};

/* Hands a controller over to the caller, once each, to be given to a manager. */
struct controller *crs_controllers_take(struct crs_controllers *controllers,
                                        enum crs_controller which);
