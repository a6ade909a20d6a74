#include "clusterresourceset/resourceset.h"

#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "clusterresourceset/resourceset_internal.h"
#include "controller/cache/cache.h"

#define SYNC_PERIOD_DEFAULT       (10 * MINUTE)
#define CONCURRENCY_DEFAULT       10
#define APPLY_CONCURRENCY_DEFAULT 1024
#define APPLY_TIMEOUT_DEFAULT     (5 * MINUTE)

static struct resourceset_options complete(const struct resourceset_options *given)
{
    struct resourceset_options options = *given;
    if (!options.sync_period)
        options.sync_period = SYNC_PERIOD_DEFAULT;
    if (!options.concurrency)
        options.concurrency = CONCURRENCY_DEFAULT;
    if (!options.apply_concurrency)
        options.apply_concurrency = APPLY_CONCURRENCY_DEFAULT;
    if (!options.apply_timeout)
        options.apply_timeout = APPLY_TIMEOUT_DEFAULT;
    return options;
}

static void open_caches(struct resourceset *resourceset)
{
    const struct resourceset_options *options = &resourceset->options;
    const struct str namespace = options->namespace;
    resourceset->sets =
        cache_set_get(options->caches, &(struct cache_options){.gvr = GVR_CLUSTER_RESOURCE_SETS,
                                                               .namespace = namespace});
    resourceset->bindings = cache_set_get(
        options->caches,
        &(struct cache_options){.gvr = GVR_CLUSTER_RESOURCE_SET_BINDINGS, .namespace = namespace});
    resourceset->config_maps =
        cache_set_get(options->caches, &(struct cache_options){.gvr = GVR_CONFIG_MAPS,
                                                               .namespace = namespace,
                                                               .metadata_only = true});
    resourceset->secrets = cache_set_get(
        options->caches,
        &(struct cache_options){.gvr = GVR_SECRETS, .namespace = namespace, .metadata_only = true});
}

static void open_controller(struct resourceset *resourceset, enum resourceset_controller which,
                            struct controller_options options)
{
    options.data = resourceset;
    options.metrics = resourceset->options.metrics;
    options.queue.rate = -1; /* each key has its own back-off; one must not slow the others */
    resourceset->controllers[which] = controller_new(resourceset->loop, &options);
    resourceset->queues[which] = controller_queue(resourceset->controllers[which]);
}

static void open_controllers(struct resourceset *resourceset)
{
    const struct resourceset_options *options = &resourceset->options;
    open_controller(resourceset, RESOURCESET_SETS,
                    (struct controller_options){.name = STR("clusterresourceset"),
                                                .reconcile = member_reconcile,
                                                .workers = options->concurrency,
                                                .resync = options->sync_period});
    open_controller(resourceset, RESOURCESET_CLUSTERS,
                    (struct controller_options){.name = STR("clusterresourceset-cluster"),
                                                .reconcile = unit_reconcile,
                                                .workers = options->apply_concurrency,
                                                .deadline = FOREVER}); /* it has its own */
    open_controller(resourceset, RESOURCESET_BINDINGS,
                    (struct controller_options){.name = STR("clusterresourcesetbinding"),
                                                .reconcile = binding_reconcile,
                                                .workers = options->concurrency});
}

struct resourceset *resourceset_new(struct loop *loop, const struct resourceset_options *options)
{
    struct resourceset *resourceset = NEW(struct resourceset);
    resourceset->loop = loop;
    resourceset->options = complete(options);
    if (options->watch_filter.len)
        resourceset->watch_filter = mem_dup(options->watch_filter.ptr, options->watch_filter.len);
    open_caches(resourceset);
    resourceset->ledger = ledger_new(loop, options->client, resourceset->bindings);
    resourceset->supplies =
        supply_pool_new(&(struct supply_options){.client = options->client,
                                                 .config_maps = resourceset->config_maps,
                                                 .secrets = resourceset->secrets});
    resourceset->census = census_new(options->clusters, options->needs_control_plane);
    open_controllers(resourceset);
    mapping_watch(resourceset);
    return resourceset;
}

void resourceset_free(struct resourceset *resourceset)
{
    if (!resourceset)
        return;
    for (size_t i = 0; i < RESOURCESET_CONTROLLERS; i++)
        controller_free(resourceset->controllers[i]);
    while (map_count(&resourceset->members))
        member_drop(map_first(&resourceset->members)->value);
    map_done(&resourceset->members);
    census_free(resourceset->census);
    supply_pool_free(resourceset->supplies);
    ledger_free(resourceset->ledger);
    mem_free(resourceset->watch_filter);
    mem_free(resourceset);
}

struct controller *resourceset_take_controller(struct resourceset *resourceset,
                                               enum resourceset_controller which)
{
    return TAKE(resourceset->controllers[which]);
}

size_t resourceset_fetches(const struct resourceset *resourceset)
{
    return supply_pool_fetches(resourceset->supplies);
}
