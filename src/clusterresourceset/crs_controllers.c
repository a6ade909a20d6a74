#include "clusterresourceset/crs_controllers.h"

#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_metrics.h"
#include "clusterresourceset/drift_watch.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/prune_tell.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_metrics.h"
#include "clusterresourceset/watches.h"
#include "controller/cache/cache.h"
#include "controller/queue_turns.h"

#define SYNC_PERIOD_DEFAULT       (10 * MINUTE)
#define CONCURRENCY_DEFAULT       10
#define APPLY_CONCURRENCY_DEFAULT 1024
#define APPLY_TIMEOUT_DEFAULT     (5 * MINUTE)
#define PLACEMENTS_PER_CLUSTER    2
#define DRIFT_CHECK_DEFAULT       (5 * MINUTE)
#define DRIFT_CONCURRENCY         100
#define DRIFT_TIMEOUT             (5 * MINUTE)
#define DRIFT_ROOM                (32 * MEGABYTE)
#define HEALTH_CONCURRENCY        100
#define HEALTH_TIMEOUT            (2 * MINUTE)
#define PATIENCE                  SECOND /* then a cluster, or the rate limit, is waited for */

static struct crs_controllers_options fill_in_defaults(const struct crs_controllers_options *given)
{
    struct crs_controllers_options options = *given;
    if (!options.sync_period)
        options.sync_period = SYNC_PERIOD_DEFAULT;
    if (!options.concurrency)
        options.concurrency = CONCURRENCY_DEFAULT;
    if (!options.apply_concurrency)
        options.apply_concurrency = APPLY_CONCURRENCY_DEFAULT;
    if (!options.drift_check)
        options.drift_check = DRIFT_CHECK_DEFAULT;
    if (!options.apply_timeout)
        options.apply_timeout = APPLY_TIMEOUT_DEFAULT;
    return options;
}

/* Of ConfigMaps and Secrets only metadata is cached: whole ones are fetched when a set needs them.
 */
static void open_caches(struct crs_controllers *controllers)
{
    const struct crs_controllers_options *options = &controllers->options;
    const struct str namespace = options->namespace;
    controllers->sets =
        cache_set_get(options->caches, &(struct cache_options){.gvr = GVR_CLUSTER_RESOURCE_SETS,
                                                               .namespace = namespace});
    controllers->bindings = cache_set_get(
        options->caches,
        &(struct cache_options){.gvr = GVR_CLUSTER_RESOURCE_SET_BINDINGS, .namespace = namespace});
    controllers->config_maps =
        cache_set_get(options->caches, &(struct cache_options){.gvr = GVR_CONFIG_MAPS,
                                                               .namespace = namespace,
                                                               .metadata_only = true});
    controllers->secrets = cache_set_get(
        options->caches,
        &(struct cache_options){.gvr = GVR_SECRETS, .namespace = namespace, .metadata_only = true});
}

/* Namespaces are the line between teams: they take turns in every queue. */
static struct queue_parties parties_by_namespace(struct key key)
{
    return (struct queue_parties){.tenant = key.namespace};
}

/* What the controllers have in common. */
static void open_controller(struct crs_controllers *controllers, enum crs_controller which,
                            struct controller_options options)
{
    options.data = controllers;
    options.metrics = controllers->options.metrics;
    options.queue.rate = -1; /* no common limit of failures: one key must not delay the others */
    if (!options.queue.parties)
        options.queue.parties = parties_by_namespace;
    controllers->all[which] = controller_new(controllers->loop, &options);
    controllers->queues[which] = controller_queue(controllers->all[which]);
}

static void open_controllers(struct crs_controllers *controllers)
{
    const struct crs_controllers_options *options = &controllers->options;
    open_controller(controllers, CRS_CONTROLLER_SETS,
                    (struct controller_options){.name = STR("clusterresourceset"),
                                                .reconcile = reconcile_set,
                                                .workers = options->concurrency,
                                                .resync = options->sync_period});
    open_controller(
        controllers, CRS_CONTROLLER_PLACEMENTS,
        (struct controller_options){
            .name = STR("clusterresourceset-cluster"),
            .reconcile = reconcile_placement,
            .workers = queue_turns_workers_for(options->apply_concurrency),
            .deadline = FOREVER, /* reconcile_placement() sets one */
            .queue = {.parties = placement_parties, .target_max = PLACEMENTS_PER_CLUSTER}
    });
    open_controller(controllers, CRS_CONTROLLER_BINDINGS,
                    (struct controller_options){.name = STR("clusterresourcesetbinding"),
                                                .reconcile = reconcile_binding,
                                                .workers = options->concurrency});
    open_controller(controllers, CRS_CONTROLLER_DRIFT,
                    (struct controller_options){.name = STR("clusterresourceset-drift"),
                                                .reconcile = reconcile_drift,
                                                .workers = DRIFT_CONCURRENCY,
                                                .deadline = DRIFT_TIMEOUT,
                                                .stopped = drift_watch_end_all});
    open_controller(controllers, CRS_CONTROLLER_HEALTH,
                    (struct controller_options){.name = STR("clusterresourceset-health"),
                                                .reconcile = reconcile_health,
                                                .workers = HEALTH_CONCURRENCY,
                                                .deadline = HEALTH_TIMEOUT});
}

/*
 * The cluster index is made before the watches: handlers of a cache are called in the order in
 * which they were added, and maps read the index.
 */
struct crs_controllers *crs_controllers_new(struct loop *loop,
                                            const struct crs_controllers_options *options)
{
    struct crs_controllers *controllers = NEW(struct crs_controllers);
    controllers->loop = loop;
    controllers->options = fill_in_defaults(options);
    controllers->lost.release = mem_free;
    controllers->replaced.release = mem_free;
    controllers->drift_room.limit = DRIFT_ROOM;
    if (options->watch_filter.len)
        controllers->watch_filter = mem_dup(options->watch_filter.ptr, options->watch_filter.len);
    open_caches(controllers);
    controllers->binding_store = binding_store_new(loop, options->client, controllers->bindings);
    controllers->snapshots = resource_snapshots_new(
        &(struct resource_snapshots_options){.client = options->client,
                                             .config_maps = controllers->config_maps,
                                             .secrets = controllers->secrets});
    controllers->policies =
        policy_store_new(loop, &(struct policy_store_options){.client = options->client,
                                                              .namespace = options->namespace,
                                                              .changed = watches_enqueue_policy,
                                                              .data = controllers});
    controllers->cluster_index = cluster_index_new(options->clusters, options->needs_control_plane);
    controllers->order_graph = order_graph_new();
    open_controllers(controllers);
    watches_add(controllers);
    set_metrics_add(controllers);
    drift_metrics_add(controllers);
    prune_tell_add(controllers);
    return controllers;
}

/* Controllers that were taken are gone by now; their fibers have used the rest. */
void crs_controllers_free(struct crs_controllers *controllers)
{
    if (!controllers)
        return;
    set_metrics_remove(controllers);
    drift_metrics_remove(controllers);
    prune_tell_remove(controllers);
    for (size_t i = 0; i < CRS_CONTROLLER_COUNT; i++)
        controller_free(controllers->all[i]);
    while (map_count(&controllers->sets_by_key))
        set_drop(map_first(&controllers->sets_by_key)->value);
    map_done(&controllers->sets_by_key);
    values_room_done(&controllers->values_room);
    map_done(&controllers->lost);
    map_done(&controllers->replaced);
    map_done(&controllers->read_namespaces);
    cluster_index_free(controllers->cluster_index);
    policy_store_free(controllers->policies);
    order_graph_free(controllers->order_graph);
    resource_snapshots_free(controllers->snapshots);
    binding_store_free(controllers->binding_store);
    mem_free(controllers->watch_filter);
    mem_free(controllers);
}

struct controller *crs_controllers_take(struct crs_controllers *controllers,
                                        enum crs_controller which)
{
    return TAKE(controllers->all[which]);
}
