#include "app/fleet.h"

#include "apimachinery/wellknown.h"
#include "app/fleet_view.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clusterresourceset/crs_controllers.h"
#include "controller/cache/cache.h"
#include "controller/leader.h"
#include "controller/manager.h"
#include "controller/recorder.h"
#include "net/network.h"
#include "net/tls.h"

#define QPS_DEFAULT                                                              \
    (-1) /* none: concurrency is bounded, and the server says when it has enough \
          */
#define BURST_DEFAULT    200
#define LEASE_NAME       STR("corset.corset.dev")
#define KUBECONFIG_LABEL STR("cluster.x-k8s.io/cluster-name")

/* In the order of making; released the other way round. */
struct fleet {
    struct loop *loop;
    struct fleet_options options;
    struct metrics *metrics;
    struct client *client;  /* reads, and what must be written before one leads */
    struct leader *leader;  /* NULL: without an election, or the manager's */
    struct client *guarded; /* writes only while this process leads */
    struct cache_set *caches;
    struct recorder *recorder;
    struct clustercache *clustercache;
    struct crs_controllers *crs_controllers;
    struct manager *manager;
};

void fleet_free(struct fleet *fleet)
{
    if (!fleet)
        return;
    manager_free(fleet->manager);
    crs_controllers_free(fleet->crs_controllers);
    clustercache_free(fleet->clustercache);
    recorder_free(fleet->recorder);
    cache_set_free(fleet->caches);
    client_free(fleet->guarded);
    leader_free(fleet->leader);
    client_free(fleet->client);
    metrics_free(fleet->metrics);
    mem_free(fleet);
}

static struct client *connect_as(struct fleet *fleet, struct leader *guard)
{
    const struct fleet_options *options = &fleet->options;
    struct network *network =
        guard && options->guarded_network ? options->guarded_network : options->network;
    return client_new(fleet->loop,
                      &(struct client_options){
                          .config = options->config,
                          .network = network,
                          .tls = options->tls,
                          .user_agent = options->user_agent,
                          .qps = options->qps != 0 ? options->qps : QPS_DEFAULT,
                          .burst = options->burst != 0 ? options->burst : BURST_DEFAULT,
                          .metrics = fleet->metrics,
                          .may_write = guard ? leader_may_write : NULL,
                          .may_write_data = guard,
                      });
}

static struct error *open_leader(struct fleet *fleet)
{
    const struct fleet_options *options = &fleet->options;
    const struct leader_options lease = {
        .client = fleet->client,
        .lease = {options->lease_namespace.len ? options->lease_namespace
                                               : options->config->namespace,
                  options->lease_name.len ? options->lease_name : LEASE_NAME},
        .lease_duration = options->lease_duration,
        .renew_deadline = options->renew_deadline,
        .retry_period = options->retry_period,
        .release = true,
        .metrics = fleet->metrics,
    };
    return options->leader_elect ? leader_new(fleet->loop, &lease, &fleet->leader) : NULL;
}

static struct cache *open_clusters(struct fleet *fleet)
{
    return cache_set_get(fleet->caches,
                         &(struct cache_options){.gvr = GVR_CLUSTERS,
                                                 .namespace = fleet->options.namespace,
                                                 .transform = fleet_view_cluster});
}

static struct error *open_clustercache(struct fleet *fleet, struct cache *clusters)
{
    const struct gvk uncached[] = {GVK_CONFIG_MAP, GVK_SECRET};
    const struct fleet_options *options = &fleet->options;
    const struct cache_options secrets = {.gvr = GVR_SECRETS,
                                          .namespace = options->namespace,
                                          .label_selector = KUBECONFIG_LABEL,
                                          .transform = fleet_view_secret};
    return clustercache_new(fleet->loop,
                            &(struct clustercache_options){
                                .clusters = clusters,
                                .secrets = cache_set_get(fleet->caches, &secrets),
                                .network = options->network,
                                .tls = options->tls,
                                .metrics = fleet->metrics,
                                .user_agent = options->user_agent,
                                .qps = options->cluster_qps,
                                .burst = options->cluster_burst,
                                .watch_filter = options->watch_filter,
                                .concurrency = options->cluster_concurrency,
                                .resync = options->sync_period,
                                .uncached = uncached,
                                .uncached_count = COUNT(uncached),
                                .timing = options->timing,
                            },
                            &fleet->clustercache);
}

static void open_resourceset(struct fleet *fleet, struct cache *clusters)
{
    const struct fleet_options *options = &fleet->options;
    fleet->crs_controllers = crs_controllers_new(
        fleet->loop, &(struct crs_controllers_options){
                         .client = fleet->guarded,
                         .caches = fleet->caches,
                         .clusters = clusters,
                         .clustercache = fleet->clustercache,
                         .recorder = options->no_events ? NULL : fleet->recorder,
                         .metrics = fleet->metrics,
                         .namespace = options->namespace,
                         .watch_filter = options->watch_filter,
                         .sync_period = options->sync_period,
                         .concurrency = options->concurrency,
                         .apply_concurrency = options->apply_concurrency,
                         .needs_control_plane = options->needs_control_plane,
                         .topology_may_hold = options->topology_may_hold,
                     });
}

static void open_manager(struct fleet *fleet)
{
    const struct fleet_options *options = &fleet->options;
    fleet->manager =
        manager_new(fleet->loop, &(struct manager_options){
                                     .client = fleet->client,
                                     .caches = fleet->caches,
                                     .metrics = fleet->metrics,
                                     .network = options->network,
                                     .health_host = options->health_host,
                                     .health_port = options->health_port,
                                     .diagnostics_host = options->diagnostics_host,
                                     .diagnostics_port = options->diagnostics_port,
                                     .insecure_diagnostics = options->insecure_diagnostics,
                                     .leader = TAKE(fleet->leader),
                                 });
    manager_add_runnable(fleet->manager, "events", recorder_run, fleet->recorder);
    manager_add_controller(fleet->manager, clustercache_take_controller(fleet->clustercache));
    for (size_t i = 0; i < CRS_CONTROLLER_COUNT; i++)
        manager_add_controller(
            fleet->manager, crs_controllers_take(fleet->crs_controllers, (enum crs_controller)i));
}

static struct error *open_all(struct fleet *fleet)
{
    fleet->metrics = metrics_new();
    fleet->client = connect_as(fleet, NULL);
    TRY(open_leader(fleet), "leader election");
    fleet->guarded = connect_as(fleet, fleet->leader);
    fleet->caches = cache_set_new(fleet->loop, fleet->client);
    fleet->recorder = recorder_new(
        fleet->loop, &(struct recorder_options){.client = fleet->guarded,
                                                .controller = STR("corset.dev/clusterresourceset"),
                                                .metrics = fleet->metrics});
    struct cache *clusters = open_clusters(fleet);
    TRY(open_clustercache(fleet, clusters), "ClusterCache");
    open_resourceset(fleet, clusters);
    open_manager(fleet);
    return NULL;
}

struct error *fleet_new(struct loop *loop, const struct fleet_options *options,
                        struct fleet **ret_fleet)
{
    OWNED(fleet) fleet = NEW(struct fleet);
    fleet->loop = loop;
    fleet->options = *options;
    TRY(open_all(fleet));
    *ret_fleet = TAKE(fleet);
    return NULL;
}

struct error *fleet_run(struct fleet *fleet)
{
    return manager_run(fleet->manager);
}

struct clustercache *fleet_clustercache(struct fleet *fleet)
{
    return fleet->clustercache;
}

struct crs_controllers *fleet_crs_controllers(struct fleet *fleet)
{
    return fleet->crs_controllers;
}

struct metrics *fleet_metrics(struct fleet *fleet)
{
    return fleet->metrics;
}

uint16_t fleet_health_port(const struct fleet *fleet)
{
    return manager_health_port(fleet->manager);
}

uint16_t fleet_diagnostics_port(const struct fleet *fleet)
{
    return manager_diagnostics_port(fleet->manager);
}
