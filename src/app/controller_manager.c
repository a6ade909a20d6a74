/*
 * Puts a controller process together. open_all() is the list of its parts in the order in which
 * they depend on each other; everything else translates options.
 *
 * There are two clients for the management cluster. `client` reads, and writes the Lease.
 * `guarded` is used by the controllers and refuses to write as soon as this process may have lost
 * the Lease. One cache of Clusters serves the ClusterCache and the ClusterResourceSet controllers.
 */
#include "app/controller_manager.h"

#include "apimachinery/wellknown.h"
#include "app/cache_trim.h"
#include "app/controller_manager_internal.h"
#include "app/fleet_page.h"
#include "app/fleet_server.h"
#include "async/cpu_turn.h"
#include "async/loop_turns.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/process_metrics.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/remote_connection_probe.h"
#include "clusterresourceset/crs_controllers.h"
#include "controller/cache/cache.h"
#include "controller/leader.h"
#include "controller/manager.h"
#include "controller/recorder.h"
#include "net/network.h"
#include "net/tls.h"

/*
 * No limit: the concurrency of the controllers is bounded, and the API server has priority and
 * fairness.
 */
#define QPS_DEFAULT      (-1)
#define BURST_DEFAULT    200
#define LEASE_NAME       STR("corset.corset.dev")
#define KUBECONFIG_LABEL STR("cluster.x-k8s.io/cluster-name")

/* In the opposite order of open_all(): controllers stop before the caches they read. */
void controller_manager_free(struct controller_manager *controllers)
{
    if (!controllers)
        return;
    manager_free(controllers->manager);
    fleet_server_free(controllers->fleet_server);
    fleet_page_free(controllers->page);
    crs_controllers_free(controllers->crs_controllers);
    remote_connection_probe_free(controllers->probe);
    clustercache_free(controllers->clustercache);
    recorder_free(controllers->recorder);
    cache_set_free(controllers->caches);
    client_free(controllers->guarded);
    leader_free(controllers->leader);
    client_free(controllers->client);
    metrics_free(controllers->metrics);
    mem_free(controllers);
}

/*
 * guard NULL: the client may always write. Guarded writes may use a network of their own, which
 * limits how long a request can stay undelivered.
 */
static struct client *connect_as(struct controller_manager *controllers, struct leader *guard)
{
    const struct controller_manager_options *options = &controllers->options;
    struct network *network =
        guard && options->guarded_network ? options->guarded_network : options->network;
    return client_new(controllers->loop,
                      &(struct client_options){
                          .config = options->config,
                          .network = network,
                          .tls = options->tls,
                          .proxies = options->proxies,
                          .user_agent = options->user_agent,
                          .qps = options->qps != 0 ? options->qps : QPS_DEFAULT,
                          .burst = options->burst != 0 ? options->burst : BURST_DEFAULT,
                          .metrics = controllers->metrics,
                          .may_write = guard ? leader_may_write : NULL,
                          .may_write_data = guard,
                      });
}

/* Does nothing without leader election. */
static struct error *open_leader(struct controller_manager *controllers)
{
    const struct controller_manager_options *options = &controllers->options;
    const struct leader_options lease = {
        .client = controllers->client,
        .lease = {options->lease_namespace.len ? options->lease_namespace
                                               : options->config->namespace,
                  options->lease_name.len ? options->lease_name : LEASE_NAME},
        .identity = options->lease_identity,
        .lease_duration = options->lease_duration,
        .renew_deadline = options->renew_deadline,
        .retry_period = options->retry_period,
        .release = true,
        .metrics = controllers->metrics,
    };
    return options->leader_elect ? leader_new(controllers->loop, &lease, &controllers->leader)
                                 : NULL;
}

/* All Clusters of the namespace, trimmed to the fields that are read. */
static struct cache *open_clusters(struct controller_manager *controllers)
{
    return cache_set_get(controllers->caches,
                         &(struct cache_options){.gvr = GVR_CLUSTERS,
                                                 .namespace = controllers->options.namespace,
                                                 .transform = cache_trim_cluster});
}

/* A cluster with a binding was served before; its name is the binding's. */
static bool has_binding(void *data, const struct object *cluster)
{
    OWNED(object_text) binding = cache_get_text(data, object_key(cluster));
    return binding != NULL;
}

/*
 * Secrets are selected by the label that Cluster API puts on kubeconfigs. ConfigMaps and Secrets
 * of workload clusters are never cached: reads of these kinds always ask the cluster.
 */
static struct error *open_clustercache(struct controller_manager *controllers,
                                       struct cache *clusters)
{
    const struct gvk uncached[] = {GVK_CONFIG_MAP, GVK_SECRET};
    const struct controller_manager_options *options = &controllers->options;
    const struct cache_options secrets = {.gvr = GVR_SECRETS,
                                          .namespace = options->namespace,
                                          .label_selector = KUBECONFIG_LABEL,
                                          .transform = cache_trim_secret};
    const struct cache_options bindings = {.gvr = GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                                           .namespace = options->namespace};
    return clustercache_new(controllers->loop,
                            &(struct clustercache_options){
                                .clusters = clusters,
                                .secrets = cache_set_get(controllers->caches, &secrets),
                                .network = options->network,
                                .tls = options->tls,
                                .proxies = options->proxies,
                                .metrics = controllers->metrics,
                                .user_agent = options->user_agent,
                                .qps = options->cluster_qps,
                                .burst = options->cluster_burst,
                                .watch_filter = options->watch_filter,
                                .was_connected = has_binding,
                                .was_connected_data = cache_set_get(controllers->caches, &bindings),
                                .concurrency = options->cluster_concurrency,
                                .resync = options->sync_period,
                                .uncached = uncached,
                                .uncached_count = COUNT(uncached),
                                .timing = options->timing,
                            },
                            &controllers->clustercache);
}

static void open_probe(struct controller_manager *controllers, struct cache *clusters)
{
    const struct controller_manager_options *options = &controllers->options;
    controllers->probe = remote_connection_probe_new(
        controllers->loop, &(struct remote_connection_probe_options){
                               .clustercache = controllers->clustercache,
                               .clusters = clusters,
                               .client = controllers->guarded,
                               .recorder = options->no_events ? NULL : controllers->recorder,
                               .metrics = controllers->metrics,
                               .owns_clusters = options->owns_clusters,
                           });
}

/* The controllers write with the guarded client. */
static void open_crs_controllers(struct controller_manager *controllers, struct cache *clusters)
{
    const struct controller_manager_options *options = &controllers->options;
    controllers->crs_controllers = crs_controllers_new(
        controllers->loop, &(struct crs_controllers_options){
                               .client = controllers->guarded,
                               .caches = controllers->caches,
                               .clusters = clusters,
                               .clustercache = controllers->clustercache,
                               .recorder = options->no_events ? NULL : controllers->recorder,
                               .metrics = controllers->metrics,
                               .namespace = options->namespace,
                               .watch_filter = options->watch_filter,
                               .sync_period = options->sync_period,
                               .concurrency = options->concurrency,
                               .apply_concurrency = options->apply_concurrency,
                               .is_elected = options->leader_elect,
                               .needs_control_plane = options->needs_control_plane,
                               .topology_may_hold = options->topology_may_hold,
                               .reconcile_with = options->reconcile_with,
                               .drift_check = options->drift_check,
                               .drift_watch = options->drift_watch,
                           });
}

/* Before the manager takes the leader, which outlives the server's run. */
static void open_fleet_server(struct controller_manager *controllers)
{
    const struct controller_manager_options *options = &controllers->options;
    struct fleet_server_options server = {
        .client = controllers->client,
        .network = options->network,
        .host = options->fleet_host,
        .port = options->fleet_port,
        .cert_dir = options->fleet_cert_dir,
        .secret = options->fleet_secret,
        .fleet = options->fleet,
    };
    if (!options->fleet_host.len)
        return;
    server.fleet.clusters = controllers->clustercache;
    server.fleet.metrics = controllers->metrics;
    server.fleet.leads = controllers->leader ? leader_may_write : NULL;
    server.fleet.leads_data = controllers->leader;
    controllers->fleet_server = fleet_server_new(controllers->loop, &server);
}

/* The manager takes the leader and the controllers, and starts them once this process leads. */
static void open_manager(struct controller_manager *controllers)
{
    const struct controller_manager_options *options = &controllers->options;
    controllers->manager =
        manager_new(controllers->loop, &(struct manager_options){
                                           .client = controllers->client,
                                           .caches = controllers->caches,
                                           .metrics = controllers->metrics,
                                           .network = options->network,
                                           .health_host = options->health_host,
                                           .health_port = options->health_port,
                                           .diagnostics_host = options->diagnostics_host,
                                           .diagnostics_port = options->diagnostics_port,
                                           .insecure_diagnostics = options->insecure_diagnostics,
                                           .leader = TAKE(controllers->leader),
                                       });
    manager_add_runnable(controllers->manager, "events", recorder_run, controllers->recorder);
    if (controllers->fleet_server)
        manager_add_runnable(controllers->manager, "fleet", fleet_server_run,
                             controllers->fleet_server);
    manager_add_controller(controllers->manager,
                           clustercache_take_controller(controllers->clustercache));
    manager_add_controller(controllers->manager,
                           remote_connection_probe_take_controller(controllers->probe));
    for (size_t i = 0; i < CRS_CONTROLLER_COUNT; i++)
        manager_add_controller(
            controllers->manager,
            crs_controllers_take(controllers->crs_controllers, (enum crs_controller)i));
}

/* The page does not need to lead. Suspends. */
static struct error *open_page(struct controller_manager *controllers)
{
    const struct controller_manager_options *options = &controllers->options;
    if (!options->web_host.len)
        return NULL;
    return fleet_page_new(controllers->loop,
                          &(struct fleet_page_options){.network = options->network,
                                                       .host = options->web_host,
                                                       .port = options->web_port,
                                                       .caches = controllers->caches,
                                                       .client = controllers->client,
                                                       .clustercache = controllers->clustercache,
                                                       .namespace = options->namespace,
                                                       .has_tokens = options->web_has_tokens,
                                                       .cert_dir = options->web_cert_dir},
                          &controllers->page);
}

struct str controller_manager_page(const struct controller_manager *controllers)
{
    return controllers->page ? fleet_page_address(controllers->page) : STR("");
}

/* Caches start at once; controllers start in controller_manager_run(). */
static struct error *open_all(struct controller_manager *controllers)
{
    controllers->metrics = metrics_new();
    process_metrics_register(controllers->metrics);
    loop_turns_register(controllers->loop, controllers->metrics);
    controllers->client = connect_as(controllers, NULL);
    TRY(open_leader(controllers), "leader election");
    controllers->guarded = connect_as(controllers, controllers->leader);
    controllers->caches = cache_set_new(controllers->loop, controllers->client);
    controllers->recorder =
        recorder_new(controllers->loop,
                     &(struct recorder_options){.client = controllers->guarded,
                                                .controller = STR("corset.dev/clusterresourceset"),
                                                .metrics = controllers->metrics});
    struct cache *clusters = open_clusters(controllers);
    TRY(open_clustercache(controllers, clusters), "ClusterCache");
    open_probe(controllers, clusters);
    open_crs_controllers(controllers, clusters);
    TRY(open_page(controllers), "the fleet's page");
    open_fleet_server(controllers);
    open_manager(controllers);
    return NULL;
}

struct error *controller_manager_new(struct loop *loop,
                                     const struct controller_manager_options *options,
                                     struct controller_manager **ret_controllers)
{
    OWNED(controller_manager) controllers = NEW(struct controller_manager);
    controllers->loop = loop;
    controllers->options = *options;
    cpu_turn_use_threads(loop, options->threads > 1 ? options->threads : 0);
    TRY(open_all(controllers));
    *ret_controllers = TAKE(controllers);
    return NULL;
}

struct clustercache *controller_manager_clusters(const struct controller_manager *controllers)
{
    return controllers->clustercache;
}

struct metrics *controller_manager_metrics(const struct controller_manager *controllers)
{
    return controllers->metrics;
}

struct error *controller_manager_run(struct controller_manager *controllers)
{
    return manager_run(controllers->manager);
}
