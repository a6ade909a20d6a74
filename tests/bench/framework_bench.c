/*
 * The example's graph in a steady state: what a reconcile costs that has nothing to do, and what it
 * asks. Server and controller are in one process; the server is at rest while this is measured.
 */
#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "apiserver/apiserver.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/metrics.h"
#include "bench.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "framework/framework_internal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "soak/controller/web.h"

#define WEBS   100
#define ROUNDS 200
#define TEXT   512

struct framework_bench {
    struct network *network;
    struct tls_context *tls;
    struct apiserver *server;
    struct rest_config config;
    struct metrics *metrics;
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;
    struct cache_set *caches;
    struct framework *framework;
    struct web_counters counters;
};

static void framework_bench_done(struct framework_bench *bench)
{
    framework_free(bench->framework);
    cache_set_free(bench->caches);
    discovery_free(bench->discovery);
    discovery_pool_free(bench->pool);
    client_free(bench->client);
    metrics_free(bench->metrics);
    apiserver_free(bench->server);
    rest_config_done(&bench->config);
    tls_context_free(bench->tls);
    network_free(bench->network);
}

static struct error *open_server(struct framework_bench *bench)
{
    bench->network = tcp_network_new(loop_current());
    bench->tls = tls_context_new();
    const struct apiserver_options server = {.network = bench->network, .host = STR("127.0.0.1")};
    TRY(apiserver_new(loop_current(), &server, &bench->server));
    bench->config.host = STR("https://127.0.0.1");
    bench->config.server = (struct url){
        .scheme = URL_HTTPS, .host = STR("127.0.0.1"), .port = apiserver_port(bench->server)};
    TRY(tls_trust_read(apiserver_authority(bench->server), &bench->config.tls.trust));
    TRY(tls_identity_read(apiserver_admin_certificate(bench->server),
                          apiserver_admin_key(bench->server), &bench->config.tls.identity));
    bench->metrics = metrics_new();
    const struct client_options client = {.config = &bench->config,
                                          .network = bench->network,
                                          .tls = bench->tls,
                                          .qps = -1,
                                          .metrics = bench->metrics};
    bench->client = client_new(loop_current(), &client);
    return NULL;
}

static struct error *create(struct framework_bench *bench, struct gvr gvr, struct str text)
{
    OWNED(object) object = NULL;
    TRY(object_read(text, &object));
    return client_create(bench->client, gvr, object, NULL, NULL);
}

static struct key web_key(char name[static TEXT], size_t number)
{
    snprintf(name, TEXT, "w%zu", number);
    return (struct key){STR("default"), str_from_c(name)};
}

static struct error *create_objects(struct framework_bench *bench)
{
    char name[TEXT], text[TEXT * 2];
    const struct gvr webs = GVR(WEB_GROUP, "v1", "webs");
    TRY(create(bench, GVR_CRDS, str_from_c(web_definition)));
    TRY(create(bench, GVR_SECRETS,
               STR("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
                   "\"" WEB_SHARED "\",\"namespace\":\"default\"}}")));
    for (size_t i = 0; i < WEBS; i++) {
        web_key(name, i);
        snprintf(text, sizeof(text),
                 "{\"apiVersion\":\"" WEB_GROUP "/v1\",\"kind\":\"Web\",\"metadata\":{\"name\":"
                 "\"%s\",\"namespace\":\"default\"},\"spec\":{\"message\":\"hello\"}}",
                 name);
        TRY(create(bench, webs, str_from_c(text)));
    }
    return NULL;
}

static struct error *open_controller(struct framework_bench *bench)
{
    struct framework_options options;
    bench->pool = discovery_pool_new();
    bench->discovery = discovery_new(bench->client, bench->pool, NULL);
    bench->caches = cache_set_new(loop_current(), bench->client);
    web_describe(&options, &(struct web_extras){0}, &bench->counters);
    options.client = bench->client;
    options.discovery = bench->discovery;
    options.caches = bench->caches;
    TRY(framework_new(loop_current(), &options, &bench->framework));
    return cache_set_wait_synced(bench->caches);
}

static struct error *reconcile_all(struct framework_bench *bench)
{
    char name[TEXT];
    for (size_t i = 0; i < WEBS; i++) {
        struct reconcile_result result;
        /* On the way there, Deployments that are not ready yet are errors. */
        error_free(framework_reconcile(bench->framework, web_key(name, i), &result));
    }
    return fiber_sleep(200 * MILLISECOND); /* caches follow */
}

static struct error *make_ready(struct framework_bench *bench)
{
    static const char status[] =
        "{\"status\":{\"observedGeneration\":1,\"replicas\":1,\"updatedReplicas\":1,"
        "\"readyReplicas\":1,\"availableReplicas\":1,\"conditions\":[{\"type\":\"Available\","
        "\"status\":\"True\"},{\"type\":\"Progressing\",\"status\":\"True\",\"reason\":"
        "\"NewReplicaSetAvailable\"}]}}";
    const struct client_write_options options = {.subresource = STR("status")};
    char name[TEXT];
    for (size_t i = 0; i < WEBS; i++) {
        snprintf(name, sizeof(name), "w%zu-web-server", i);
        TRY(client_patch(bench->client, GVR("apps", "v1", "deployments"),
                         (struct key){STR("default"), str_from_c(name)}, CLIENT_PATCH_MERGE,
                         str_from_c(status), &options, NULL));
    }
    return fiber_sleep(200 * MILLISECOND);
}

/* Sum of rest_client_requests_total. */
static double requests(const struct framework_bench *bench)
{
    SCOPED(buf) text = {.limit = 0};
    struct str rest, line;
    double sum = 0;
    metrics_write(bench->metrics, &text);
    rest = buf_str(&text);
    while (rest.len) {
        uint64_t number = 0;
        (void)str_cut(&rest, '\n', &line);
        const size_t blank = str_find_last_char(line, ' ');
        if (str_starts_with(line, STR("rest_client_requests_total{")) && blank != STR_NONE &&
            str_to_uint64(str_skip(line, blank + 1), &number))
            sum += (double)number;
    }
    return sum;
}

static struct error *measure_calls(struct framework_bench *bench)
{
    char name[TEXT];
    const size_t builds = bench->counters.builds;
    const double asked = requests(bench), begun = bench_cpu();
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < WEBS; i++) {
            struct reconcile_result result;
            TRY(framework_reconcile(bench->framework, web_key(name, i), &result));
            if (result.requeue || result.requeue_after)
                return error_new(ERROR_INTERNAL, "%s is not in a steady state", name);
        }
    if (bench->counters.builds != builds + (size_t)ROUNDS * WEBS)
        return error_new(ERROR_INTERNAL, "not every reconcile built its graph");
    const double count = ROUNDS * WEBS;
    bench_row("a reconcile with nothing to do", (bench_cpu() - begun) / count * 1e6, "us",
              "of processor time; %d owners with 3 objects and an input each", WEBS);
    bench_row("requests of such a reconcile", (requests(bench) - asked) / count, "", "goal: 0");
    return NULL;
}

static struct error *run_controller(void *data)
{
    struct framework_bench *bench = data;
    return controller_run(bench->framework->controller);
}

static struct error *wait_for_builds(const struct framework_bench *bench, size_t count)
{
    while (bench->counters.builds < count)
        TRY(fiber_yield());
    return NULL;
}

static struct error *measure_controller(struct framework_bench *bench)
{
    char name[TEXT];
    SCOPED(scope) scope = {0};
    struct queue *queue = controller_queue(bench->framework->controller);
    scope_start(&scope, "controller", run_controller, bench);
    TRY(fiber_sleep(500 * MILLISECOND)); /* the initial lists */
    const double asked = requests(bench), begun = bench_clock();
    for (size_t round = 0; round < ROUNDS; round++) {
        const size_t builds = bench->counters.builds;
        for (size_t i = 0; i < WEBS; i++)
            queue_add(queue, web_key(name, i), QUEUE_NORMAL);
        TRY(wait_for_builds(bench, builds + WEBS));
    }
    bench_row("reconciles through queue and workers", ROUNDS * WEBS / (bench_clock() - begun),
              "per s", "%.0f requests in all", requests(bench) - asked);
    return NULL;
}

static struct error *measure(void *data)
{
    (void)data;
    SCOPED(framework_bench) bench = {0};
    TRY(open_server(&bench));
    TRY(create_objects(&bench));
    TRY(open_controller(&bench));
    TRY(reconcile_all(&bench));
    TRY(make_ready(&bench));
    TRY(reconcile_all(&bench));
    TRY(measure_calls(&bench));
    return measure_controller(&bench);
}

void bench_framework(void)
{
    bench_heading("Framework: the example controller in a steady state");
    OWNED(loop) loop = loop_new();
    OWNED(error) err = loop_run(loop, measure, NULL);
    if (err)
        fprintf(stderr, "%s\n", err->message);
}
