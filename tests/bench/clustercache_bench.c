/*
 * A ClusterCache over many clusters: memory of each, time until all are connected, cost of a probe.
 * The clusters are virtual ones of an API server in another process; each has a client certificate
 * and an address of its own as far as the client can tell, so none shares a connection.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "api/wellknown.h"
#include "api_rig.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/base64.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "bench.h"
#include "client/client.h"
#include "clustercache/clustercache.h"
#include "net/network.h"
#include "net/pki.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "reconcile/controller.h"

#define PROBE_SECONDS 30
#define WORKERS       64

static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"clusters.cluster.x-k8s.io\",\"annotations\":{"
    "\"api-approved.kubernetes.io\":\"unapproved\"}},\"spec\":{\"group\":\"cluster.x-k8s.io\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"clusters\",\"singular\":\"cluster\","
    "\"kind\":\"Cluster\",\"listKind\":\"ClusterList\"},\"versions\":[{\"name\":\"v1beta2\","
    "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";

struct fleet {
    struct api_rig rig;
    size_t count;
    struct pki_authority *authority;
    struct client *client;
    struct cache_set *set;
    struct cache *clusters, *secrets;
    struct metrics *metrics;
    struct clustercache *cache;
    struct controller *controller;
};

/* The kubeconfig the server wrote, with a client certificate of its own beside the token. */
static void write_kubeconfig(struct fleet *fleet, size_t number, struct buf *out)
{
    SCOPED(buf) path = {0};
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    SCOPED(rest_config) config = {0};
    buf_print(&path, "%s/clusters/vc-%04zu.kubeconfig", fleet->rig.folder, number + 1);
    api_rig_must(kubeconfig_load(&(struct kubeconfig_paths){.file = buf_str(&path)},
                                 &(struct kubeconfig_options){.keep_pem = true}, &config));
    const int64_t now = loop_wall(loop_current());
    const struct pki_request request = {.common_name = STR("bench"),
                                        .client = true,
                                        .not_before = now - HOUR,
                                        .not_after = now + 24 * HOUR};
    api_rig_must(pki_issue(fleet->authority, &request, &certificate, &key));
    config.tls.certificate_pem = buf_str(&certificate);
    config.tls.key_pem = buf_str(&key);
    kubeconfig_write(out, STR("c"), &config);
}

static void make_object(void *data, size_t worker, size_t number, struct api_rig_request *request,
                        struct buf *target, struct buf *body)
{
    struct fleet *fleet = data;
    SCOPED(buf) kubeconfig = {0};
    SCOPED(buf) value = {0};
    const size_t cluster = number / 2;
    (void)worker;
    request->method = STR("POST");
    request->type = STR("application/json");
    if (number % 2) {
        buf_add(target, STR("/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters"));
        buf_print(body,
                  "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":"
                  "{\"name\":\"c%zu\"},\"status\":{\"initialization\":{"
                  "\"infrastructureProvisioned\":true}}}",
                  cluster);
        return;
    }
    write_kubeconfig(fleet, cluster, &kubeconfig);
    base64_encode(&value, buf_str(&kubeconfig));
    buf_add(target, STR("/api/v1/namespaces/default/secrets"));
    buf_print(
        body,
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"c%zu-kubeconfig\","
        "\"labels\":{\"cluster.x-k8s.io/cluster-name\":\"c%zu\"}},\"data\":{\"value\":\"%.*s\"}}",
        cluster, cluster, STR_ARG(buf_str(&value)));
}

static void fill(struct fleet *fleet)
{
    OWNED(http_client) client = api_rig_client(&fleet->rig, WORKERS, false);
    api_rig_must(
        api_rig_send(client,
                     &(struct api_rig_request){
                         .method = STR("POST"),
                         .target = STR("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
                         .type = STR("application/json"),
                         .body = str_from_c(definition)},
                     NULL));
    error_free(fiber_sleep(SECOND));
    struct api_load load = {.clients = &client,
                            .client_count = 1,
                            .workers = WORKERS,
                            .requests = 2 * fleet->count,
                            .make = make_object,
                            .data = fleet};
    api_load_run(&load);
}

static void open_caches(struct fleet *fleet)
{
    const struct client_options options = {.config = &fleet->rig.config,
                                           .network = fleet->rig.network,
                                           .tls = fleet->rig.tls,
                                           .qps = -1};
    fleet->client = client_new(loop_current(), &options);
    fleet->set = cache_set_new(loop_current(), fleet->client);
    fleet->clusters = cache_set_get(fleet->set, &(struct cache_options){.gvr = GVR_CLUSTERS});
    fleet->secrets = cache_set_get(
        fleet->set,
        &(struct cache_options){.gvr = GVR_SECRETS,
                                .label_selector = STR("cluster.x-k8s.io/cluster-name")});
    api_rig_must(cache_set_wait_synced(fleet->set));
}

static struct error *run_controller(void *data)
{
    return controller_run(data);
}

static void wait_connected(const struct fleet *fleet)
{
    while (clustercache_connected(fleet->cache) < fleet->count)
        error_free(fiber_sleep(20 * MILLISECOND));
}

static double kib_each(const struct fleet *fleet, size_t before)
{
    bench_trim();
    return (double)(bench_resident() - before) / 1024 / (double)fleet->count;
}

static void on_node(void *data, struct key cluster, const struct cache_event *event)
{
    (void)data;
    (void)cluster;
    (void)event;
}

static void watch_all(struct fleet *fleet)
{
    const struct clustercache_watch watch = {
        .name = STR("bench"), .gvk = GVK("", "v1", "Node"), .changed = on_node};
    for (size_t i = 0; i < fleet->count; i++) {
        char name[32];
        const int len = snprintf(name, sizeof(name), "c%zu", i);
        const struct key key = {STR("default"), str_from(name, (size_t)len)};
        error_free(clustercache_watch(fleet->cache, key, &watch));
    }
}

static void measure(struct fleet *fleet)
{
    SCOPED(scope) scope = {0};
    bench_trim();
    const size_t before = bench_resident();
    double cpu = bench_cpu(), clock = bench_clock();
    const struct clustercache_options options = {.clusters = fleet->clusters,
                                                 .secrets = fleet->secrets,
                                                 .network = fleet->rig.network,
                                                 .tls = fleet->rig.tls,
                                                 .metrics = fleet->metrics,
                                                 .user_agent = STR("bench")};
    api_rig_must(clustercache_new(loop_current(), &options, &fleet->cache));
    fleet->controller = clustercache_take_controller(fleet->cache);
    scope_start(&scope, "controller", run_controller, fleet->controller);
    wait_connected(fleet);
    bench_row("all connected after the start", bench_clock() - clock, "s", "%.2f ms of CPU each",
              1e3 * (bench_cpu() - cpu) / (double)fleet->count);
    error_free(fiber_sleep(12 * SECOND));
    bench_row("memory per connected cluster", kib_each(fleet, before), "KiB",
              "goal 44; discovery, metrics and probes included");
    cpu = bench_cpu();
    error_free(fiber_sleep(PROBE_SECONDS * SECOND));
    const double probes = (double)fleet->count * PROBE_SECONDS / 10.25;
    bench_row("CPU of a probe with its reconciles", 1e6 * (bench_cpu() - cpu) / probes, "us",
              "%.0f probes per second per core", probes / (bench_cpu() - cpu));
    watch_all(fleet);
    error_free(fiber_sleep(15 * SECOND));
    bench_row("memory with a watch on Nodes as well", kib_each(fleet, before), "KiB",
              "over HTTP/2");
    scope_done(&scope);
    controller_free(fleet->controller);
    clustercache_free(fleet->cache);
}

static struct error *run(void *data)
{
    struct fleet *fleet = data;
    const int64_t now = loop_wall(loop_current());
    char count[32];
    snprintf(count, sizeof(count), "%zu", fleet->count);
    api_rig_make_folder(fleet->rig.folder, "bench-clustercache");
    fleet->rig.network = tcp_network_new(loop_current());
    fleet->rig.tls = tls_context_new();
    fleet->metrics = metrics_new();
    api_rig_must(pki_authority_new(STR("bench"), now - HOUR, now + 24 * HOUR, &fleet->authority));
    api_rig_start(&fleet->rig, (const char *const[]){"--virtual-clusters", count, NULL});
    fill(fleet);
    open_caches(fleet);
    measure(fleet);
    cache_set_free(fleet->set);
    client_free(fleet->client);
    api_rig_stop(&fleet->rig);
    rest_config_done(&fleet->rig.config);
    pki_authority_free(fleet->authority);
    metrics_free(fleet->metrics);
    tls_context_free(fleet->rig.tls);
    network_free(fleet->rig.network);
    api_rig_remove_folder(fleet->rig.folder);
    return NULL;
}

static void drop_line(void *data, struct str line)
{
    (void)data;
    (void)line;
}

void bench_clustercache(size_t count)
{
    struct fleet fleet = {.count = count};
    struct rlimit files;
    OWNED(loop) loop = loop_new();
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    char heading[96];
    snprintf(heading, sizeof(heading), "ClusterCache, %zu clusters over TLS", count);
    bench_heading(heading);
    log_set_sink(drop_line, NULL);
    api_rig_must(loop_run(loop, run, &fleet));
    log_set_sink(NULL, NULL);
}
