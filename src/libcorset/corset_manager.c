/*
 * corset_manager_run(): everything a controller process consists of.
 *
 * run_process() starts two fibers. One waits for signals. The other, run_manager(), opens
 * everything in the order of struct process and then runs the manager of controller/manager.h
 * until it is cancelled or fails. Whichever ends first cancels the other one.
 *
 * With leader election there are two clients: free_client writes the Lease and reads, while client
 * refuses to write as soon as this process may have lost the Lease.
 */
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/loop_turns.h"
#include "async/scope.h"
#include "async/signals.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/proxy_environment.h"
#include "clustercache/clustercache.h"
#include "controller/cache/cache.h"
#include "controller/leader.h"
#include "controller/manager.h"
#include "controller/recorder.h"
#include "libcorset/library_internal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define KIND_RETRY       (2 * SECOND)
#define KUBECONFIG_LABEL STR("cluster.x-k8s.io/cluster-name")

/* Members are made in this order and released in the opposite order. */
struct process {
    const struct corset_manager_options *options;
    struct loop *loop;
    struct arena arena;
    struct rest_config config;
    struct network *network;
    struct tls_context *tls;
    struct proxy_environment proxies;
    struct metrics *metrics;
    struct client *free_client; /* with an election: for the lease, which is written before */
    struct leader *leader;
    struct client *client; /* writes only while this process leads */
    struct discovery_pool *pool;
    struct discovery *discovery;
    struct cache_set *caches;
    struct library_controller *controllers;
    struct clustercache *clusters; /* NULL: no workload clusters */
    struct manager *manager;       /* has the leader and what runs of the controllers */

    struct fiber *worker, *listener;
    struct signals *signals;
    bool is_told_to_stop;
};

/* Watches in workload clusters go on until their connections end, but the queues go before. */
static void process_done(struct process *process)
{
    const size_t count = process->controllers ? process->options->controller_count : 0;
    for (size_t i = 0; i < count; i++)
        process->controllers[i].queue = NULL;
    manager_free(process->manager);
    clustercache_free(process->clusters);
    for (size_t i = 0; i < count; i++) {
        library_clusters_remove_controller(&process->controllers[i]);
        library_controller_close(&process->controllers[i]);
        recorder_free(process->controllers[i].recorder);
    }
    mem_free(process->controllers);
    cache_set_free(process->caches);
    discovery_free(process->discovery);
    discovery_pool_free(process->pool);
    client_free(process->client);
    leader_free(process->leader);
    client_free(process->free_client);
    metrics_free(process->metrics);
    tls_context_free(process->tls);
    network_free(process->network);
    rest_config_done(&process->config);
    arena_done(&process->arena);
}

/*
 * In this order: the kubeconfig that was asked for, the cluster this Pod runs in, the user's
 * kubeconfig.
 */
static struct error *find_cluster(struct process *process)
{
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    const struct kubeconfig_options choice = {.context = str_from_c(process->options->context)};
    paths.file = str_from_c(process->options->kubeconfig);
    if (paths.file.len || paths.list.len)
        return kubeconfig_load(&paths, &choice, &process->config);
    struct error *err = kubeconfig_in_cluster(NULL, &process->config);
    if (!error_is(err, ERROR_NOT_FOUND))
        return err;
    error_free(err);
    return kubeconfig_load(&paths, &choice, &process->config);
}

/* "<name>/<version>" of the first controller, unless the options name another one. */
static struct str user_agent(struct process *process)
{
    const struct corset_controller *first = process->options->controllers[0];
    if (process->options->user_agent)
        return str_from_c(process->options->user_agent);
    if (!first->version)
        return str_from_c(first->name);
    return arena_print(&process->arena, "%s/%s", first->name, first->version);
}

/* guard NULL: the client may always write. */
static struct client *connect_as(struct process *process, struct leader *guard)
{
    const struct client_options options = {
        .config = &process->config,
        .network = process->network,
        .tls = process->tls,
        .proxies = &process->proxies,
        .user_agent = user_agent(process),
        .qps = process->options->qps,
        .burst = process->options->burst,
        .metrics = process->metrics,
        .may_write = guard ? leader_may_write : NULL,
        .may_write_data = guard,
    };
    return client_new(process->loop, &options);
}

/* The Lease is named after the first controller unless the options name another one. */
static struct error *make_leader(struct process *process)
{
    const struct corset_manager_options *options = process->options;
    const char *name = options->lease_name;
    process->free_client = connect_as(process, NULL);
    const struct leader_options lease = {
        .client = process->free_client,
        .lease = {options->lease_namespace ? str_from_c(options->lease_namespace)
                                           : process->config.namespace,
                  name ? str_from_c(name)
                       : arena_print(&process->arena, "%s.corset.dev",
                  options->controllers[0]->name)},
        .lease_duration = options->lease_duration_ms * MILLISECOND,
        .renew_deadline = options->renew_deadline_ms * MILLISECOND,
        .retry_period = options->retry_period_ms * MILLISECOND,
        .release = true,
        .metrics = process->metrics,
    };
    return leader_new(process->loop, &lease, &process->leader);
}

/*
 * Waits for kinds that are not served yet: a CustomResourceDefinition may be installed later. The
 * first failed attempt is logged. Takes the error of an attempt; any other one ends the wait.
 */
static struct error *wait_for_kind(struct error *err, const char *name, bool *is_told)
{
    if (!discovery_is_no_match(err))
        return err;
    if (!*is_told)
        log_info("Waiting for a kind to be served", LOG_STR("controller", str_from_c(name)),
                 LOG_ERROR(err));
    *is_told = true;
    error_free(err);
    return fiber_sleep(KIND_RETRY);
}

static struct error *open_controller(struct process *process, struct library_controller *controller)
{
    bool is_told = false;
    for (;;) {
        struct error *err = library_controller_open(controller, process->loop);
        if (!err)
            return NULL;
        TRY(wait_for_kind(err, controller->description->name, &is_told));
    }
}

/*
 * Events are writes too, so they go through the client that writes only while this process leads.
 */
static struct recorder *make_recorder(struct process *process,
                                      const struct corset_controller *description)
{
    const struct recorder_options options = {
        .client = process->client,
        .controller = arena_print(&process->arena, "%s/%s",
                                  description->domain ? description->domain : "corset.dev",
                                  description->name),
        .metrics = process->metrics,
    };
    return recorder_new(process->loop, &options);
}

static struct error *open_controllers(struct process *process)
{
    const struct corset_manager_options *options = process->options;
    process->controllers =
        mem_alloc_zero(options->controller_count * sizeof(*process->controllers));
    for (size_t i = 0; i < options->controller_count; i++) {
        struct library_controller *controller = &process->controllers[i];
        *controller = (struct library_controller){
            .description = options->controllers[i],
            .client = process->client,
            .discovery = process->discovery,
            .caches = process->caches,
            .metrics = process->metrics,
            .recorder = make_recorder(process, options->controllers[i]),
        };
        TRY(open_controller(process, controller));
    }
    return NULL;
}

static bool are_clusters_wanted(const struct corset_manager_options *options)
{
    bool are_wanted = options->clusters != NULL;
    for (size_t i = 0; i < options->controller_count; i++)
        are_wanted |= library_clusters_are_wanted(options->controllers[i]);
    return are_wanted;
}

/* A server without Cluster API gets it later, or this process has nothing to do. */
static struct error *wait_for_clusters(struct process *process)
{
    bool is_told = false;
    for (;;) {
        SCOPED(arena) arena = {0};
        struct discovery_mapping mapping;
        struct error *err = discovery_find_kind(process->discovery, &arena, GVK_CLUSTER, &mapping);
        if (!err)
            return NULL;
        TRY(wait_for_kind(err, "clustercache", &is_told));
    }
}

/* The ClusterCache, if anybody wants it, with the caches and the guard of the process. */
static struct error *open_clusters(struct process *process)
{
    const struct corset_clusters_options *options = process->options->clusters;
    const struct str namespace = str_from_c(options ? options->name_space : NULL);
    if (!are_clusters_wanted(process->options))
        return NULL;
    TRY(wait_for_clusters(process));
    struct clustercache_options environment = {
        .clusters = cache_set_get(
            process->caches, &(struct cache_options){.gvr = GVR_CLUSTERS, .namespace = namespace}),
        .secrets = cache_set_get(process->caches,
                                 &(struct cache_options){.gvr = GVR_SECRETS,
                                                         .namespace = namespace,
                                                         .label_selector = KUBECONFIG_LABEL}),
        .network = process->network,
        .tls = process->tls,
        .proxies = &process->proxies,
        .metrics = process->metrics,
        .user_agent = user_agent(process),
        .may_write = process->leader ? leader_may_write : NULL,
        .may_write_data = process->leader,
    };
    TRY(library_clusters_new(process->loop, &process->arena, options, &environment,
                             &process->clusters),
        "workload clusters");
    for (size_t i = 0; i < process->options->controller_count; i++)
        process->controllers[i].clusters = process->clusters;
    return NULL;
}

/* Opens connections, caches and controllers. Nothing runs yet. */
static struct error *open_all(struct process *process)
{
    TRY(find_cluster(process), "find a cluster");
    process->network = tcp_network_new(process->loop);
    process->tls = tls_context_new();
    process->proxies = proxy_environment_read();
    process->metrics = metrics_new();
    loop_turns_register(process->loop, process->metrics);
    if (process->options->leader_elect)
        TRY(make_leader(process), "leader election");
    process->client = connect_as(process, process->leader);
    process->pool = discovery_pool_new();
    process->discovery = discovery_new(process->client, process->pool, NULL);
    process->caches = cache_set_new(process->loop, process->client);
    TRY(open_controllers(process));
    return open_clusters(process);
}

/*
 * "HOST:PORT", "[::1]:PORT" or ":PORT", which means all addresses of the machine. NULL: no server.
 */
static struct error *read_address(const char *text, struct str *ret_host, uint16_t *ret_port)
{
    const struct str whole = str_from_c(text);
    const size_t colon = str_find_last_char(whole, ':');
    uint64_t port;
    if (!text)
        return NULL;
    if (colon == STR_NONE || !str_to_uint64(str_skip(whole, colon + 1), &port) || port > UINT16_MAX)
        return error_new(ERROR_INVALID, "an address is HOST:PORT or :PORT, not '%s'", text);
    *ret_port = (uint16_t)port;
    *ret_host = colon ? str_slice(whole, 0, colon) : STR("0.0.0.0");
    if (ret_host->len > 2 && ret_host->ptr[0] == '[')
        *ret_host = str_slice(*ret_host, 1, ret_host->len - 1);
    return NULL;
}

/* The manager takes the leader and the controllers. Metrics and probes are served by it. */
static struct error *make_manager(struct process *process)
{
    const struct corset_manager_options *options = process->options;
    struct manager_options inner = {
        .client = process->free_client ? process->free_client : process->client,
        .caches = process->caches,
        .metrics = process->metrics,
        .network = process->network,
        .insecure_diagnostics = options->insecure_diagnostics,
    };
    TRY(read_address(options->health_address, &inner.health_host, &inner.health_port),
        "health_address");
    TRY(read_address(options->diagnostics_address, &inner.diagnostics_host,
                     &inner.diagnostics_port),
        "diagnostics_address");
    inner.leader = TAKE(process->leader);
    process->manager = manager_new(process->loop, &inner);
    for (size_t i = 0; i < options->controller_count; i++) {
        struct library_controller *controller = &process->controllers[i];
        struct controller *taken = framework_take_controller(controller->framework);
        controller->queue = controller_queue(taken);
        manager_add_runnable(process->manager, "events", recorder_run, controller->recorder);
        manager_add_controller(process->manager, taken);
        if (process->clusters)
            library_clusters_add_controller(controller);
    }
    if (process->clusters)
        manager_add_controller(process->manager, clustercache_take_controller(process->clusters));
    return NULL;
}

/* A cancellation after a signal is success. */
static struct error *run_manager(void *data)
{
    struct process *process = data;
    struct error *err = open_all(process);
    if (!err)
        err = make_manager(process);
    if (!err)
        err = manager_run(process->manager);
    fiber_cancel(process->listener);
    if (process->is_told_to_stop && error_is(err, ERROR_CANCELED))
        return error_ignore(err, ERROR_CANCELED);
    return err;
}

static struct error *listen_for_signals(void *data)
{
    struct process *process = data;
    struct error *err = signals_wait(process->signals);
    if (!err) {
        log_info("Stopping");
        process->is_told_to_stop = true;
        fiber_cancel(process->worker);
    }
    return error_ignore(err, ERROR_CANCELED);
}

static struct error *run_process(void *data)
{
    SCOPED(process) process = {.options = data, .loop = loop_current()};
    OWNED(signals) signals = NULL;
    SCOPED(scope) scope = {0};
    TRY(signals_new(process.loop, &signals));
    process.signals = signals;
    process.listener = scope_start(&scope, "signals", listen_for_signals, &process);
    process.worker = scope_start(&scope, "work", run_manager, &process);
    return scope_wait(&scope);
}

static struct error *check_options(const struct corset_manager_options *options)
{
    if (options->controller_count == 0)
        return error_new(ERROR_INVALID, "there are no controllers to run");
    for (size_t i = 0; i < options->controller_count; i++)
        if (!options->controllers[i]->name)
            return error_new(ERROR_INVALID, "controller %zu has no name", i);
    return NULL;
}

struct corset_error *corset_manager_run(const struct corset_manager_options *options)
{
    struct error *err = check_options(options);
    if (err)
        return library_error_out(err);
    log_set_level(options->verbosity);
    log_set_format(options->log_json ? LOG_JSON : LOG_TEXT);
    OWNED(loop) loop = loop_new();
    return library_error_out(loop_run(loop, run_process, (void *)options));
}
