/*
 * The ClusterResourceSet controllers: what sets name is applied to every cluster they select.
 *
 * Work has two keys. A set is reconciled as a whole when it, or a resource it names, changes: its
 * finalizer, whether it is paused, which clusters it selects, what it snapshots, what its status
 * says. A cluster of a set is reconciled on its own, side by side with others and with a back-off
 * of its own, and writes the binding. So an event of one cluster touches that cluster alone, and a
 * cluster that hangs holds up nobody.
 *
 * A second controller deletes the bindings of clusters that go.
 *
 *     crs_controllers_new(loop, &options, &controllers);
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

struct crs_controllers_options {
    struct client *client;    /* of the management cluster */
    struct cache_set *caches; /* of it; sets, resources and bindings are watched through it */
    struct cache *clusters;   /* Cluster objects; shared with the ClusterCache */
    struct clustercache *clustercache;
    struct recorder *recorder; /* NULL: no events */
    struct metrics *metrics;
    struct str namespace;     /* empty: all of them */
    struct str watch_filter;  /* of the label cluster.x-k8s.io/watch-filter; empty: everything */
    duration sync_period;     /* 0: 10 min */
    size_t concurrency;       /* sets at a time; 0: 10 */
    size_t apply_concurrency; /* clusters at a time; 0: 1024 */
    duration apply_timeout;   /* of one set on one cluster, more for many objects; 0: 5 min */
    bool needs_control_plane; /* skip clusters whose control plane is not initialized */
    bool topology_may_hold;   /* Cluster API runs with RuntimeSDK and ClusterTopology */
};

struct crs_controllers *crs_controllers_new(struct loop *loop,
                                            const struct crs_controllers_options *options);
void crs_controllers_free(struct crs_controllers *controllers); /* its controllers are gone */
DEFINE_OWNED(crs_controllers)

enum crs_controller {
    CRS_CONTROLLER_SETS,       /* "clusterresourceset" */
    CRS_CONTROLLER_PLACEMENTS, /* "clusterresourceset-cluster": a set on a cluster */
    CRS_CONTROLLER_BINDINGS,   /* "clusterresourcesetbinding" */
    CRS_CONTROLLER_COUNT,
};

/* To be given to a manager, each once. */
struct controller *crs_controllers_take(struct crs_controllers *controllers,
                                        enum crs_controller which);

/* ConfigMaps and Secrets fetched so far, for measurements. */
size_t crs_controllers_fetches(const struct crs_controllers *controllers);
