#include "sets_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "apimachinery/condition.h"
#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "app/controller_manager_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/watch.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define CONNECT_TIMEOUT (5 * MINUTE)

static void must(struct error *err)
{
    api_fixture_must(err);
}

static struct error *run_controllers(void *data)
{
    return error_ignore(controller_manager_run(data), ERROR_CANCELED);
}

static void wait_connected(struct sets_fixture *fixture, size_t count)
{
    FIBER_TIMEOUT(CONNECT_TIMEOUT);
    while (clustercache_connected(fixture->controllers->clustercache) < count)
        must(fiber_sleep(5 * MILLISECOND));
}

static void start_controllers(struct sets_fixture *fixture)
{
    const struct controller_manager_options options = {
        .config = &fixture->api.config,
        .network = fixture->api.network,
        .tls = fixture->api.tls,
        .user_agent = STR("bench"),
        .qps = -1,
        .burst = 1,
        .no_events = true, /* they come over minutes */
        .sync_period = 10 * SECOND,
        .reconcile_with = fixture->options.reconcile_with,
        .drift_check = fixture->options.drift_check,
        .drift_watch = fixture->options.drift_watch,
        .threads = fixture->options.threads,
        .timing = {.probe = fixture->options.probe},
        .web_host = fixture->options.has_page ? STR("127.0.0.1") : STR(""),
    };
    must(controller_manager_new(loop_current(), &options, &fixture->controllers));
    fixture->running = (struct scope){0};
    scope_start(&fixture->running, "controllers", run_controllers, fixture->controllers);
    wait_connected(fixture, fixture->clusters);
}

static void stop_controllers(struct sets_fixture *fixture)
{
    scope_done(&fixture->running);
    controller_manager_free(fixture->controllers);
}

void sets_fixture_restart(struct sets_fixture *fixture)
{
    stop_controllers(fixture);
    start_controllers(fixture);
}

void sets_fixture_open(struct sets_fixture *fixture, size_t clusters,
                       const struct sets_fixture_options *options)
{
    char count[32];
    snprintf(count, sizeof(count), "%zu", clusters);
    const char *const more[] = {"--virtual-clusters", count, NULL};
    const bool is_spread = options->processes > 0;
    *fixture = (struct sets_fixture){.clusters = clusters, .options = *options};
    api_fixture_make_folder(fixture->api.folder, "bench-sets");
    api_fixture_start(&fixture->api, is_spread ? NULL : more);
    fixture->api.network = tcp_network_new(loop_current());
    fixture->api.tls = tls_context_new();
    fixture->admin =
        client_new(loop_current(), &(struct client_options){.config = &fixture->api.config,
                                                            .network = fixture->api.network,
                                                            .tls = fixture->api.tls,
                                                            .qps = -1,
                                                            .burst = 1});
    if (is_spread) {
        cluster_processes_start(&fixture->processes, options->processes, clusters, "latency=20ms");
        cluster_processes_register(&fixture->processes, fixture->admin);
    }
    start_controllers(fixture);
}

void sets_fixture_close(struct sets_fixture *fixture)
{
    stop_controllers(fixture);
    client_free(fixture->admin);
    cluster_processes_stop(&fixture->processes);
    api_fixture_stop(&fixture->api);
    rest_config_done(&fixture->api.config);
    tls_context_free(fixture->api.tls);
    network_free(fixture->api.network);
    api_fixture_remove_folder(fixture->api.folder);
}

void sets_fixture_create(struct sets_fixture *fixture, struct gvr gvr, const struct buf *text)
{
    OWNED(object) object = NULL;
    must(buf_check(text));
    must(object_read(buf_str(text), &object));
    must(client_create(fixture->admin, gvr, object, NULL, NULL));
}

static bool is_applied(const struct object *set)
{
    struct condition found;
    int64_t observed = 0;
    json_to_int64(object_path(set, "status.observedGeneration"), &observed);
    return observed == object_generation(set) &&
           condition_find(object_path(set, "status.conditions"), STR("ResourcesApplied"), &found) &&
           found.status == CONDITION_TRUE;
}

void sets_fixture_create_with_policy(struct sets_fixture *fixture, struct str manifest)
{
    SCOPED(buf) content = {0};
    SCOPED(buf) set = {0};
    buf_print(&content,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"s\","
              "\"namespace\":\"default\"},\"data\":{\"a\":\"%.*s\"}}",
              STR_ARG(manifest));
    sets_fixture_create(fixture, GVR_CONFIG_MAPS, &content);
    buf_add(&set, STR("{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                      "\"ClusterResourceSet\",\"metadata\":{\"name\":\"s\",\"namespace\":"
                      "\"default\",\"annotations\":{\"corset.dev/policy\":\"p\"}},\"spec\":{"
                      "\"strategy\":\"Reconcile\",\"clusterSelector\":{\"matchLabels\":{"
                      "\"corset.dev/virtual\":\"true\"}},\"resources\":[{\"kind\":\"ConfigMap\","
                      "\"name\":\"s\"}]}}"));
    sets_fixture_create(fixture, GVR_CLUSTER_RESOURCE_SETS, &set);
}

void sets_fixture_wait_applied(struct sets_fixture *fixture, const char *name)
{
    SCOPED(buf) field = {0};
    OWNED(watch) watch = NULL;
    struct watch_event event;
    FIBER_TIMEOUT(CONNECT_TIMEOUT);
    buf_print(&field, "metadata.name=%s", name);
    must(watch_open(fixture->admin, GVR_CLUSTER_RESOURCE_SETS, STR("default"),
                    &(struct watch_options){.field_selector = buf_str(&field)}, &watch));
    do {
        must(watch_next(watch, &event));
    } while (event.type == WATCH_BOOKMARK || !is_applied(event.object));
}

double sets_fixture_sum_metric(struct sets_fixture *fixture, const char *name, const char *label)
{
    SCOPED(buf) text = {0};
    double sum = 0;
    metrics_write(fixture->controllers->metrics, &text);
    struct str rest = buf_str(&text), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (!str_starts_with(line, str_from_c(name)) || !str_contains(line, str_from_c(label)))
            continue;
        const size_t space = str_find_last_char(line, ' ');
        char number[32] = {0};
        snprintf(number, sizeof(number), "%.*s", STR_ARG(str_skip(line, space + 1)));
        sum += strtod(number, NULL);
    }
    return sum;
}

double sets_fixture_count_requests(struct sets_fixture *fixture, bool workloads)
{
    static const char name[] = "rest_client_requests_total{";
    const double of_workloads =
        sets_fixture_sum_metric(fixture, name, "host=\"workload-clusters\"");
    return workloads ? of_workloads : sets_fixture_sum_metric(fixture, name, "") - of_workloads;
}

void sets_fixture_inject(struct sets_fixture *fixture, const char *faults)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {0};
    struct client_raw_answer answer;
    must(client_raw(fixture->admin,
                    &(struct client_raw_request){.method = STR("PUT"),
                                                 .path = STR("/debug/inject"),
                                                 .content_type = STR("text/plain"),
                                                 .body = str_from_c(faults)},
                    &arena, &body, &answer));
}
