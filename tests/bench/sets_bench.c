/*
 * ClusterResourceSets on many clusters. The API server with its virtual clusters is a process of
 * its own, on disk; the controllers are in this one, over real sockets and TLS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "api_fixture.h"
#include "apimachinery/condition.h"
#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "app/controller_manager_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/metrics.h"
#include "bench.h"
#include "client/client.h"
#include "client/watch.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/resource_snapshots_internal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define ROLLOUT_CLUSTERS 1000
#define LATENCY          "20ms"
#define OBJECTS          10
#define MANY             5000
#define FEW              100
#define QUIET            (3 * SECOND)
#define STEADY           (30 * SECOND)
#define SETS             3
#define CONNECT_TIMEOUT  (5 * MINUTE)

struct sets_bench {
    struct api_fixture fixture;
    struct client *admin;
    struct controller_manager *controllers;
    struct scope running;
};

static void must(struct error *err)
{
    api_fixture_must(err);
}

static struct error *run_controllers(void *data)
{
    return error_ignore(controller_manager_run(data), ERROR_CANCELED);
}

static void wait_connected(struct sets_bench *bench, size_t count)
{
    FIBER_TIMEOUT(CONNECT_TIMEOUT);
    while (clustercache_connected(bench->controllers->clustercache) < count)
        must(fiber_sleep(5 * MILLISECOND));
}

/* The server with so many clusters, and the controllers, connected to all of them. */
static void open_bench(struct sets_bench *bench, size_t clusters, enum crs_reconcile_with way)
{
    char count[32];
    snprintf(count, sizeof(count), "%zu", clusters);
    const char *const more[] = {"--virtual-clusters", count, NULL};
    *bench = (struct sets_bench){0};
    api_fixture_make_folder(bench->fixture.folder, "bench-sets");
    api_fixture_start(&bench->fixture, more);
    bench->fixture.network = tcp_network_new(loop_current());
    bench->fixture.tls = tls_context_new();
    bench->admin =
        client_new(loop_current(), &(struct client_options){.config = &bench->fixture.config,
                                                            .network = bench->fixture.network,
                                                            .tls = bench->fixture.tls,
                                                            .qps = -1,
                                                            .burst = 1});
    must(controller_manager_new(
        loop_current(),
        &(struct controller_manager_options){.config = &bench->fixture.config,
                                             .network = bench->fixture.network,
                                             .tls = bench->fixture.tls,
                                             .user_agent = STR("bench"),
                                             .qps = -1,
                                             .burst = 1,
                                             .no_events = true, /* they come over minutes */
                                             .sync_period = 10 * SECOND,
                                             .reconcile_with = way},
        &bench->controllers));
    scope_start(&bench->running, "controllers", run_controllers, bench->controllers);
    wait_connected(bench, clusters);
}

static void close_bench(struct sets_bench *bench)
{
    scope_done(&bench->running);
    controller_manager_free(bench->controllers);
    client_free(bench->admin);
    api_fixture_stop(&bench->fixture);
    rest_config_done(&bench->fixture.config);
    tls_context_free(bench->fixture.tls);
    network_free(bench->fixture.network);
    api_fixture_remove_folder(bench->fixture.folder);
}

static void create(struct sets_bench *bench, struct gvr gvr, const struct buf *text)
{
    OWNED(object) object = NULL;
    must(buf_check(text));
    must(object_read(buf_str(text), &object));
    must(client_create(bench->admin, gvr, object, NULL, NULL));
}

/* Ten ConfigMaps for each cluster, in one ConfigMap. */
static void write_manifest(struct buf *out, const char *name, size_t stamp)
{
    for (size_t i = 0; i < OBJECTS; i++)
        buf_print(
            out,
            "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: %s-%zu, namespace: "
            "default}\\ndata: {stamp: \\\"%zu\\\", text: some settings of an add-on}\\n---\\n",
            name, i, stamp);
}

static void create_resource(struct sets_bench *bench, const char *name)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
              "\"namespace\":\"default\"},\"data\":{\"a\":\"",
              name);
    write_manifest(&text, name, 0);
    buf_add(&text, STR("\"}}"));
    create(bench, GVR_CONFIG_MAPS, &text);
}

static void change_resource(struct sets_bench *bench, const char *name, size_t stamp)
{
    SCOPED(buf) text = {0};
    buf_add(&text, STR("{\"data\":{\"a\":\""));
    write_manifest(&text, name, stamp);
    buf_add(&text, STR("\"}}"));
    must(client_patch(bench->admin, GVR_CONFIG_MAPS, (struct key){STR("default"), str_from_c(name)},
                      CLIENT_PATCH_MERGE, buf_str(&text), NULL, NULL));
}

static void create_set(struct sets_bench *bench, const char *name, const char *selector)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
              "\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{\"strategy\":"
              "\"Reconcile\",\"clusterSelector\":%s,\"resources\":[{\"kind\":\"ConfigMap\","
              "\"name\":\"%s\"}]}}",
              name, selector, name);
    create(bench, GVR_CLUSTER_RESOURCE_SETS, &text);
}

static void label(struct sets_bench *bench, size_t cluster, const char *text)
{
    SCOPED(buf) body = {0};
    char name[32];
    snprintf(name, sizeof(name), "vc-%04zu", cluster);
    buf_print(&body, "{\"metadata\":{\"labels\":%s}}", text);
    must(client_patch(bench->admin, GVR_CLUSTERS, (struct key){STR("default"), str_from_c(name)},
                      CLIENT_PATCH_MERGE, buf_str(&body), NULL, NULL));
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

/* Suspends until the set says so. */
static void wait_applied(struct sets_bench *bench, const char *name)
{
    SCOPED(buf) field = {0};
    OWNED(watch) watch = NULL;
    struct watch_event event;
    FIBER_TIMEOUT(CONNECT_TIMEOUT);
    buf_print(&field, "metadata.name=%s", name);
    must(watch_open(bench->admin, GVR_CLUSTER_RESOURCE_SETS, STR("default"),
                    &(struct watch_options){.field_selector = buf_str(&field)}, &watch));
    do {
        must(watch_next(watch, &event));
    } while (event.type == WATCH_BOOKMARK || !is_applied(event.object));
}

/* Set on the clusters of a selector: seconds from its creation to ResourcesApplied. */
static double roll_out(struct sets_bench *bench, const char *name, const char *selector)
{
    create_resource(bench, name);
    const double begun = bench_clock();
    create_set(bench, name, selector);
    wait_applied(bench, name);
    return bench_clock() - begun;
}

/* What the controllers have asked so far, of workload clusters or of the management cluster. */
static double count_requests_to(struct sets_bench *bench, bool workloads)
{
    SCOPED(buf) text = {0};
    double sum = 0;
    metrics_write(bench->controllers->metrics, &text);
    struct str rest = buf_str(&text), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (!str_starts_with(line, STR("rest_client_requests_total{")) ||
            str_contains(line, STR("host=\"workload-clusters\"")) != workloads)
            continue;
        const size_t space = str_find_last_char(line, ' ');
        char number[32] = {0};
        snprintf(number, sizeof(number), "%.*s", STR_ARG(str_skip(line, space + 1)));
        sum += strtod(number, NULL);
    }
    return sum;
}

/* Of the management cluster, watches that were opened included. */
static double count_requests(struct sets_bench *bench)
{
    return count_requests_to(bench, false);
}

static void inject(struct sets_bench *bench, const char *faults)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {0};
    struct client_raw_answer answer;
    must(client_raw(bench->admin,
                    &(struct client_raw_request){.method = STR("PUT"),
                                                 .path = STR("/debug/inject"),
                                                 .content_type = STR("text/plain"),
                                                 .body = str_from_c(faults)},
                    &arena, &body, &answer));
}

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static struct error *measure_rollout(void *data)
{
    struct sets_bench bench;
    (void)data;
    open_bench(&bench, ROLLOUT_CLUSTERS, CRS_SERVER_SIDE_APPLY);
    inject(&bench, "latency=" LATENCY);
    label(&bench, 1, "{\"bench\":\"one\"}");
    double one = 1e9;
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "one%d", i);
        one = least_of(one, roll_out(&bench, name, "{\"matchLabels\":{\"bench\":\"one\"}}"));
    }
    const double cpu = bench_cpu(), server = api_fixture_cpu(&bench.fixture);
    const double all =
        roll_out(&bench, "all", "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    const double cpu_used = bench_cpu() - cpu,
                 server_used = api_fixture_cpu(&bench.fixture) - server;
    bench_row("10 objects to one cluster, 20 ms latency", one * 1e3, "ms", "best of three");
    bench_row("the same to 1,000 clusters", all * 1e3, "ms", "%.1f times; goal at most 5",
              all / one);
    bench_row("  processor time of the controller", cpu_used * 1e3, "ms", "of the server: %.0f ms",
              server_used * 1e3);
    const size_t fetches = bench.controllers->crs_controllers->snapshots->fetches;
    const double requests = count_requests(&bench), begun = bench_clock();
    change_resource(&bench, "all", 1);
    must(fiber_sleep(20 * MILLISECOND));
    wait_applied(&bench, "all"); /* the condition stays while it is rolled out */
    must(fiber_sleep(QUIET));
    bench_row("a ConfigMap of 1,000 clusters changed: fetched",
              (double)(bench.controllers->crs_controllers->snapshots->fetches - fetches), "times",
              "goal 1; %.0f management requests, within %.1f s", count_requests(&bench) - requests,
              bench_clock() - begun);
    close_bench(&bench);
    return NULL;
}

/* One cluster joins a set: what that asks of the management cluster. */
static double join(struct sets_bench *bench, size_t cluster, const char *labels)
{
    must(fiber_sleep(QUIET));
    const double before = count_requests(bench);
    label(bench, cluster, labels);
    must(fiber_sleep(QUIET));
    return count_requests(bench) - before;
}

static struct error *measure_many(void *data)
{
    struct sets_bench bench;
    (void)data;
    open_bench(&bench, MANY, CRS_SERVER_SIDE_APPLY);
    bench_trim();
    const size_t connected = bench_resident();
    label(&bench, 1, "{\"out\":\"1\"}");
    for (size_t i = 0; i < FEW; i++)
        label(&bench, MANY - i, "{\"few\":\"1\"}");
    roll_out(&bench, "few", "{\"matchLabels\":{\"few\":\"1\"}}");
    const double few = join(&bench, 2, "{\"few\":\"1\"}");
    const double begun = bench_clock();
    roll_out(&bench, "many",
             "{\"matchExpressions\":[{\"key\":\"out\",\"operator\":\"DoesNotExist\"}]}");
    const double took = bench_clock() - begun;
    const double many = join(&bench, 1, "{\"out\":null}");
    bench_row("requests when a cluster joins 100 others", few, "requests",
              "a binding made and written");
    bench_row("requests when a cluster joins 4,999 others", many, "requests",
              "goal: the same; rolled out in %.1f s before", took);
    for (size_t i = 2; i < SETS + 1; i++) {
        char name[16];
        snprintf(name, sizeof(name), "all%zu", i);
        roll_out(&bench, name, "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    }
    must(fiber_sleep(QUIET));
    const double before = count_requests(&bench), cpu = bench_cpu();
    must(fiber_sleep(STEADY));
    bench_row("requests in a steady state, 30 s with three resyncs",
              count_requests(&bench) - before, "requests",
              "goal 0; %.1f %% of a core with 5,000 clusters probed",
              (bench_cpu() - cpu) * 100 / ((double)STEADY / SECOND));
    bench_trim();
    bench_row("memory with 5,000 clusters connected", (double)connected / 1e6, "MB",
              "%.1f KiB each", (double)connected / 1024 / MANY);
    bench_row("memory with 5,000 clusters and three sets on all", (double)bench_resident() / 1e6,
              "MB", "%.1f KiB for each set on a cluster",
              ((double)bench_resident() - (double)connected) / 1024 / MANY / SETS);
    close_bench(&bench);
    return NULL;
}

/* The ConfigMap of a set as a file, with new content. */
static void write_file(const char *path, const char *name, size_t stamp)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"},"
              "\"data\":{\"a\":\"",
              name);
    write_manifest(&text, name, stamp);
    buf_add(&text, STR("\"}}"));
    FILE *file = fopen(path, "we");
    if (!file || fwrite(text.ptr, 1, text.len, file) != text.len || fclose(file) != 0)
        must(error_new(ERROR_IO, "cannot write %s", path));
}

/* Runs corset plan as a person does, and waits for it. */
static double run_plan(struct sets_bench *bench, const char *file, double *ret_cpu)
{
    char program[API_FIXTURE_PATH], kubeconfig[API_FIXTURE_PATH + 16], log[API_FIXTURE_PATH + 16];
    struct rusage used = {0};
    int status = 0;
    snprintf(kubeconfig, sizeof(kubeconfig), "%s/kubeconfig", bench->fixture.folder);
    snprintf(log, sizeof(log), "%s/plan.log", bench->fixture.folder);
    const char *const argv[] = {api_fixture_path(program, "corset"),
                                "plan",
                                "all",
                                "-f",
                                file,
                                "--kubeconfig",
                                kubeconfig,
                                NULL};
    const double begun = bench_clock();
    const pid_t pid = api_fixture_spawn(log, argv);
    if (wait4(pid, &status, 0, &used) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 1)
        must(error_new(ERROR_INTERNAL, "corset plan found no change, see %s", log));
    *ret_cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    return bench_clock() - begun;
}

static struct error *measure_plan(void *data)
{
    struct sets_bench bench;
    char file[API_FIXTURE_PATH + 16];
    double cpu, best = 1e9;
    (void)data;
    open_bench(&bench, ROLLOUT_CLUSTERS, CRS_SERVER_SIDE_APPLY);
    roll_out(&bench, "all", "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    inject(&bench, "latency=" LATENCY);
    snprintf(file, sizeof(file), "%s/new.json", bench.fixture.folder);
    write_file(file, "all", 1);
    const double server = api_fixture_cpu(&bench.fixture);
    for (int i = 0; i < 3; i++)
        best = least_of(best, run_plan(&bench, file, &cpu));
    bench_row("corset plan, 10 objects on 1,000 clusters, 20 ms latency", best * 1e3, "ms",
              "best of three; goal 5,000; %.0f ms of processor time, the server %.0f ms", cpu * 1e3,
              (api_fixture_cpu(&bench.fixture) - server) * 1e3 / 3);
    close_bench(&bench);
    return NULL;
}

/* Requests to clusters for each object of a content, new and changed. */
static void measure_requests(const char *what, enum crs_reconcile_with way)
{
    struct sets_bench bench;
    open_bench(&bench, FEW, way);
    const double objects = (double)FEW * OBJECTS;
    must(fiber_sleep(QUIET)); /* looking kinds up */
    const double before = count_requests_to(&bench, true);
    roll_out(&bench, "all", "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    must(fiber_sleep(QUIET));
    const double made = count_requests_to(&bench, true);
    change_resource(&bench, "all", 1);
    must(fiber_sleep(QUIET));
    const double changed = count_requests_to(&bench, true);
    bench_row(what, (changed - made) / objects, "requests",
              "%.2f when it is new; 100 clusters, 10 objects; probes and discovery included",
              (made - before) / objects);
    close_bench(&bench);
}

static struct error *measure_both_ways(void *data)
{
    (void)data;
    measure_requests("a changed object, server-side apply", CRS_SERVER_SIDE_APPLY);
    measure_requests("a changed object, merge patch", CRS_MERGE_PATCH);
    return NULL;
}

void bench_sets(const char *which)
{
    bench_heading("ClusterResourceSets");
    if (!which || strcmp(which, "rollout") == 0) {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure_rollout, NULL));
    }
    if (!which || strcmp(which, "plan") == 0) {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure_plan, NULL));
    }
    if (!which || strcmp(which, "requests") == 0) {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure_both_ways, NULL));
    }
    if (!which || strcmp(which, "many") == 0) {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure_many, NULL));
    }
}
