/*
 * What the controllers share: options, caches, queues, and the stores of what is known.
 *
 * The reconcile functions are in set_reconcile.c, placement_reconcile.c, binding_reconcile.c,
 * drift_check.c and health_check.c.
 */
#pragma once

#include "base/map.h"
#include "base/metrics.h"
#include "client/watch_stream.h"
#include "clusterresourceset/binding_store.h"
#include "clusterresourceset/cluster_index.h"
#include "clusterresourceset/crs_controllers.h"
#include "clusterresourceset/order_graph.h"
#include "clusterresourceset/policy_store.h"
#include "clusterresourceset/resource_snapshots.h"
#include "clusterresourceset/values_room.h"
#include "controller/controller.h"

struct crs_controllers {
    struct loop *loop;
    struct crs_controllers_options options;
    char *watch_filter;                                    /* NULL: none */
    struct cache *sets, *bindings, *config_maps, *secrets; /* of the last two only the metadata */
    struct controller *all[CRS_CONTROLLER_COUNT];          /* NULL once taken */
    struct queue *queues[CRS_CONTROLLER_COUNT];
    struct binding_store *binding_store;
    struct resource_snapshots *snapshots;
    struct policy_store *policies;
    int64_t sweep_at; /* when snapshots that no set asks for are next dropped */
    struct cluster_index *cluster_index;
    struct order_graph *order_graph;    /* of all sets, also of those that others work on */
    struct map sets_by_key;             /* "namespace/name" -> struct crs_set */
    struct metrics_collector collector; /* of set_metrics.c */
    struct metrics_collector drift_collector, prune_collector;
    struct map drift_watches;            /* "namespace/name" of Clusters -> struct drift_watch */
    struct watch_stream_room drift_room; /* of all of them */
    struct map read_namespaces;          /* the bindings of which were read; see set_rollout.c */
    struct values_room values_room;      /* of plans with values of a Cluster in them */
    struct map replaced; /* key of a Cluster -> UID that a write with an unknown outcome replaces */
    struct map lost;     /* key of a Cluster that went -> UID of the binding it had */
};

/*
 * For the queue of sets: keys are those of ClusterResourceSets. For the queue of placements: keys
 * are those of placement_enqueue(). For the queue of bindings: keys are those of bindings and,
 * since a binding has the name of its cluster, of Clusters. For the queues of drift and
 * of health: keys are those of Clusters.
 */
reconcile_fn reconcile_set, reconcile_placement, reconcile_binding, reconcile_drift,
    reconcile_health;

/*
 * A Cluster went, or another one has its name now: what its binding records is true of no other
 * Cluster. binding_reconcile.c deletes that binding, even if the new Cluster is there first.
 */
void binding_note_lost_cluster(struct crs_controllers *controllers, struct key cluster);

/* Whether the binding that is known of a Cluster is one that is about to go for this reason. */
bool binding_is_lost(struct crs_controllers *controllers, struct key cluster);
