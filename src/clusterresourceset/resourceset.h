/*
 * The ClusterResourceSet controllers: what sets name is applied to every cluster they select.
 *
 * Work has two keys. A set is reconciled as a whole when it, or a resource it names, changes: its
 * finalizer, whether it is paused, which clusters it selects, what it supplies, what its status
 * says. A cluster of a set is reconciled on its own, side by side with others and with a back-off
 * of its own, and writes the binding. So an event of one cluster touches that cluster alone, and a
 * cluster that hangs holds up nobody.
 *
 * A second controller deletes the bindings of clusters that go.
 *
 *     resourceset_new(loop, &options, &resourceset);
 *     manager_add_controller(manager, resourceset_take_controller(resourceset, RESOURCESET_SETS));
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
struct resourceset;

struct resourceset_options {
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

struct resourceset *resourceset_new(struct loop *loop, const struct resourceset_options *options);
void resourceset_free(struct resourceset *resourceset); /* its controllers are gone */
DEFINE_OWNED(resourceset)

enum resourceset_controller {
    RESOURCESET_SETS,     /* "clusterresourceset" */
    RESOURCESET_CLUSTERS, /* "clusterresourceset-cluster": a set on a cluster */
    RESOURCESET_BINDINGS, /* "clusterresourcesetbinding" */
    RESOURCESET_CONTROLLERS,
};

/* To be given to a manager, each once. */
struct controller *resourceset_take_controller(struct resourceset *resourceset,
                                               enum resourceset_controller which);

/* ConfigMaps and Secrets fetched so far, for measurements. */
size_t resourceset_fetches(const struct resourceset *resourceset);
