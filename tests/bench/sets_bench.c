/*
 * ClusterResourceSets on many clusters; see sets_fixture.h.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "apimachinery/wellknown.h"
#include "app/controller_manager_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "bench.h"
#include "client/client.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/resource_snapshots_internal.h"
#include "sets_fixture.h"

#define ROLLOUT_CLUSTERS 1000
#define LATENCY          "20ms"
#define OBJECTS          10
#define MANY             5000
#define MOST             ((size_t)10000)
#define FEW              100
#define QUIET            (3 * SECOND)
#define STEADY           (30 * SECOND)
#define SETS             3

static void must(struct error *err)
{
    api_fixture_must(err);
}

static void open_fixture(struct sets_fixture *fixture, size_t clusters, enum crs_reconcile_with way)
{
    sets_fixture_open(fixture, clusters, &(struct sets_fixture_options){.reconcile_with = way});
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

static void create_resource(struct sets_fixture *fixture, const char *name)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
              "\"namespace\":\"default\"},\"data\":{\"a\":\"",
              name);
    write_manifest(&text, name, 0);
    buf_add(&text, STR("\"}}"));
    sets_fixture_create(fixture, GVR_CONFIG_MAPS, &text);
}

static void change_resource(struct sets_fixture *fixture, const char *name, size_t stamp)
{
    SCOPED(buf) text = {0};
    buf_add(&text, STR("{\"data\":{\"a\":\""));
    write_manifest(&text, name, stamp);
    buf_add(&text, STR("\"}}"));
    must(client_patch(fixture->admin, GVR_CONFIG_MAPS,
                      (struct key){STR("default"), str_from_c(name)}, CLIENT_PATCH_MERGE,
                      buf_str(&text), NULL, NULL));
}

static void create_set(struct sets_fixture *fixture, const char *name, const char *selector)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
              "\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{\"strategy\":"
              "\"Reconcile\",\"clusterSelector\":%s,\"resources\":[{\"kind\":\"ConfigMap\","
              "\"name\":\"%s\"}]}}",
              name, selector, name);
    sets_fixture_create(fixture, GVR_CLUSTER_RESOURCE_SETS, &text);
}

static void label(struct sets_fixture *fixture, size_t cluster, const char *text)
{
    SCOPED(buf) body = {0};
    char name[32];
    snprintf(name, sizeof(name), "vc-%04zu", cluster);
    buf_print(&body, "{\"metadata\":{\"labels\":%s}}", text);
    must(client_patch(fixture->admin, GVR_CLUSTERS, (struct key){STR("default"), str_from_c(name)},
                      CLIENT_PATCH_MERGE, buf_str(&body), NULL, NULL));
}

/* Set on the clusters of a selector: seconds from its creation to ResourcesApplied. */
static double roll_out(struct sets_fixture *fixture, const char *name, const char *selector)
{
    create_resource(fixture, name);
    const double begun = bench_clock();
    create_set(fixture, name, selector);
    sets_fixture_wait_applied(fixture, name);
    return bench_clock() - begun;
}

/* Of the management cluster, watches that were opened included. */
static double count_requests(struct sets_fixture *fixture)
{
    return sets_fixture_count_requests(fixture, false);
}

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static struct error *measure_rollout(void *data)
{
    struct sets_fixture fixture;
    (void)data;
    open_fixture(&fixture, ROLLOUT_CLUSTERS, CRS_SERVER_SIDE_APPLY);
    sets_fixture_inject(&fixture, "latency=" LATENCY);
    label(&fixture, 1, "{\"bench\":\"one\"}");
    double one = 1e9;
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "one%d", i);
        one = least_of(one, roll_out(&fixture, name, "{\"matchLabels\":{\"bench\":\"one\"}}"));
    }
    const double cpu = bench_cpu(), server = api_fixture_cpu(&fixture.api);
    const double all =
        roll_out(&fixture, "all", "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    const double cpu_used = bench_cpu() - cpu, server_used = api_fixture_cpu(&fixture.api) - server;
    bench_row("10 objects to one cluster, 20 ms latency", one * 1e3, "ms", "best of three");
    bench_row("the same to 1,000 clusters", all * 1e3, "ms", "%.1f times; goal at most 5",
              all / one);
    bench_row("  processor time of the controller", cpu_used * 1e3, "ms", "of the server: %.0f ms",
              server_used * 1e3);
    const size_t fetches = fixture.controllers->crs_controllers->snapshots->fetches;
    const double requests = count_requests(&fixture), begun = bench_clock();
    change_resource(&fixture, "all", 1);
    must(fiber_sleep(20 * MILLISECOND));
    sets_fixture_wait_applied(&fixture, "all"); /* the condition stays while it is rolled out */
    must(fiber_sleep(QUIET));
    bench_row("a ConfigMap of 1,000 clusters changed: fetched",
              (double)(fixture.controllers->crs_controllers->snapshots->fetches - fetches), "times",
              "goal 1; %.0f management requests, within %.1f s",
              count_requests(&fixture) - requests, bench_clock() - begun);
    sets_fixture_close(&fixture);
    return NULL;
}

#define PROCESSES 4

static const char ALL[] = "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}";

/* A cluster of the first process. */
static void label_first(struct sets_fixture *fixture)
{
    must(client_patch(fixture->admin, GVR_CLUSTERS, KEY("default", "p0-vc-0001"),
                      CLIENT_PATCH_MERGE, STR("{\"metadata\":{\"labels\":{\"bench\":\"one\"}}}"),
                      NULL, NULL));
}

static double roll_out_to_one(struct sets_fixture *fixture)
{
    double one = 1e9;
    label_first(fixture);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "one%d", i);
        one = least_of(one, roll_out(fixture, name, "{\"matchLabels\":{\"bench\":\"one\"}}"));
    }
    return one;
}

/* The clusters are four processes, so that none of them is what limits the controllers. */
static void roll_out_to_all(struct sets_fixture *fixture, const char *name, double one)
{
    char what[64];
    const double cpu = bench_cpu(), api = api_fixture_cpu(&fixture->api),
                 clusters = cluster_processes_cpu(&fixture->processes);
    const double all = roll_out(fixture, name, ALL);
    snprintf(what, sizeof(what), "10 objects to %zu clusters of %d processes", fixture->clusters,
             PROCESSES);
    bench_row(what, all * 1e3, "ms", "%.1f times that of one (%.0f ms); goal with 1,000: 3",
              all / one, one * 1e3);
    bench_row("  processor time of the controllers", (bench_cpu() - cpu) * 1e3, "ms",
              "goal with 10,000: 10,000; of the API server %.0f ms, of the clusters %.0f ms",
              (api_fixture_cpu(&fixture->api) - api) * 1e3,
              (cluster_processes_cpu(&fixture->processes) - clusters) * 1e3);
}

static struct error *measure_spread(void *data)
{
    (void)data;
    for (size_t threads = 1; threads <= 2; threads++) {
        struct sets_fixture fixture;
        printf("  with %zu thread%s\n", threads, threads == 1 ? "" : "s");
        sets_fixture_open(
            &fixture, ROLLOUT_CLUSTERS,
            &(struct sets_fixture_options){.processes = PROCESSES, .threads = threads});
        const double one = roll_out_to_one(&fixture);
        roll_out_to_all(&fixture, "all1", one);
        roll_out_to_all(&fixture, "all2", one);
        sets_fixture_close(&fixture);
    }
    return NULL;
}

/* Requests to clusters that change something. */
static double count_writes(struct sets_fixture *fixture)
{
    static const char name[] = "rest_client_requests_total{";
    static const char *const methods[] = {"POST", "PUT", "PATCH", "DELETE"};
    double sum = 0;
    for (size_t i = 0; i < COUNT(methods); i++) {
        char label[80];
        snprintf(label, sizeof(label), "host=\"workload-clusters\",method=\"%s\"", methods[i]);
        sum += sets_fixture_sum_metric(fixture, name, label);
    }
    return sum;
}

/* Suspends until every set was looked at on every cluster, and nothing is left to do. */
static void wait_at_rest(struct sets_fixture *fixture, size_t placements)
{
    static const char placement[] = "controller=\"clusterresourceset-cluster\"";
    FIBER_TIMEOUT(10 * MINUTE);
    while (sets_fixture_sum_metric(fixture, "controller_runtime_reconcile_total{", placement) <
               (double)placements ||
           sets_fixture_sum_metric(fixture, "controller_runtime_active_workers{",
                                   "clusterresourceset") > 0)
        must(fiber_sleep(100 * MILLISECOND));
}

/* 10,000 clusters with three sets: the rollout, and what a restart costs. */
static struct error *measure_most(void *data)
{
    struct sets_fixture fixture;
    (void)data;
    sets_fixture_open(&fixture, MOST,
                      &(struct sets_fixture_options){.processes = PROCESSES, .threads = 2});
    const double one = roll_out_to_one(&fixture);
    for (size_t i = 1; i <= SETS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "all%zu", i);
        roll_out_to_all(&fixture, name, one);
    }
    bench_row("memory of this process with three sets", (double)bench_resident() / 1e6, "MB", "-");
    must(fiber_sleep(QUIET));
    const double begun = bench_clock(), cpu = bench_cpu();
    sets_fixture_restart(&fixture);
    const double connected = bench_clock() - begun;
    wait_at_rest(&fixture, SETS * MOST);
    const double settled = bench_clock() - begun, used = bench_cpu() - cpu;
    bench_row("a restart: all connected", connected, "s", "-");
    bench_row("  every set looked at on every cluster", settled, "s",
              "%.2f times; goal at most 1.5; %.1f s of processor time", settled / connected, used);
    must(fiber_sleep(QUIET));
    bench_row("  objects written to clusters", count_writes(&fixture), "requests", "goal 0");
    sets_fixture_close(&fixture);
    return NULL;
}

/* One cluster joins a set: what that asks of the management cluster. */
static double join(struct sets_fixture *fixture, size_t cluster, const char *labels)
{
    must(fiber_sleep(QUIET));
    const double before = count_requests(fixture);
    label(fixture, cluster, labels);
    must(fiber_sleep(QUIET));
    return count_requests(fixture) - before;
}

static struct error *measure_many(void *data)
{
    struct sets_fixture fixture;
    (void)data;
    open_fixture(&fixture, MANY, CRS_SERVER_SIDE_APPLY);
    bench_trim();
    const size_t connected = bench_resident();
    label(&fixture, 1, "{\"out\":\"1\"}");
    for (size_t i = 0; i < FEW; i++)
        label(&fixture, MANY - i, "{\"few\":\"1\"}");
    roll_out(&fixture, "few", "{\"matchLabels\":{\"few\":\"1\"}}");
    const double few = join(&fixture, 2, "{\"few\":\"1\"}");
    const double begun = bench_clock();
    roll_out(&fixture, "many",
             "{\"matchExpressions\":[{\"key\":\"out\",\"operator\":\"DoesNotExist\"}]}");
    const double took = bench_clock() - begun;
    const double many = join(&fixture, 1, "{\"out\":null}");
    bench_row("requests when a cluster joins 100 others", few, "requests",
              "a binding made and written");
    bench_row("requests when a cluster joins 4,999 others", many, "requests",
              "goal: the same; rolled out in %.1f s before", took);
    for (size_t i = 2; i < SETS + 1; i++) {
        char name[16];
        snprintf(name, sizeof(name), "all%zu", i);
        roll_out(&fixture, name, "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    }
    must(fiber_sleep(QUIET));
    const double before = count_requests(&fixture), cpu = bench_cpu();
    must(fiber_sleep(STEADY));
    bench_row("requests in a steady state, 30 s with three resyncs",
              count_requests(&fixture) - before, "requests",
              "goal 0; %.1f %% of a core with 5,000 clusters probed",
              (bench_cpu() - cpu) * 100 / ((double)STEADY / SECOND));
    bench_trim();
    bench_row("memory with 5,000 clusters connected", (double)connected / 1e6, "MB",
              "%.1f KiB each", (double)connected / 1024 / MANY);
    bench_row("memory with 5,000 clusters and three sets on all", (double)bench_resident() / 1e6,
              "MB", "%.1f KiB for each set on a cluster",
              ((double)bench_resident() - (double)connected) / 1024 / MANY / SETS);
    sets_fixture_close(&fixture);
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
static double run_plan(struct sets_fixture *fixture, const char *file, double *ret_cpu)
{
    char program[API_FIXTURE_PATH], kubeconfig[API_FIXTURE_PATH + 16], log[API_FIXTURE_PATH + 16];
    struct rusage used = {0};
    int status = 0;
    snprintf(kubeconfig, sizeof(kubeconfig), "%s/kubeconfig", fixture->api.folder);
    snprintf(log, sizeof(log), "%s/plan.log", fixture->api.folder);
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
    struct sets_fixture fixture;
    char file[API_FIXTURE_PATH + 16];
    double cpu, best = 1e9;
    (void)data;
    open_fixture(&fixture, ROLLOUT_CLUSTERS, CRS_SERVER_SIDE_APPLY);
    roll_out(&fixture, "all", "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    sets_fixture_inject(&fixture, "latency=" LATENCY);
    snprintf(file, sizeof(file), "%s/new.json", fixture.api.folder);
    write_file(file, "all", 1);
    const double server = api_fixture_cpu(&fixture.api);
    for (int i = 0; i < 3; i++)
        best = least_of(best, run_plan(&fixture, file, &cpu));
    bench_row("corset plan, 10 objects on 1,000 clusters, 20 ms latency", best * 1e3, "ms",
              "best of three; goal 5,000; %.0f ms of processor time, the server %.0f ms", cpu * 1e3,
              (api_fixture_cpu(&fixture.api) - server) * 1e3 / 3);
    sets_fixture_close(&fixture);
    return NULL;
}

/* Requests to clusters for each object of a content, new and changed. */
static void measure_requests(const char *what, enum crs_reconcile_with way)
{
    struct sets_fixture fixture;
    open_fixture(&fixture, FEW, way);
    const double objects = (double)FEW * OBJECTS;
    must(fiber_sleep(QUIET)); /* looking kinds up */
    const double before = sets_fixture_count_requests(&fixture, true);
    roll_out(&fixture, "all", "{\"matchLabels\":{\"corset.dev/virtual\":\"true\"}}");
    must(fiber_sleep(QUIET));
    const double made = sets_fixture_count_requests(&fixture, true);
    change_resource(&fixture, "all", 1);
    must(fiber_sleep(QUIET));
    const double changed = sets_fixture_count_requests(&fixture, true);
    bench_row(what, (changed - made) / objects, "requests",
              "%.2f when it is new; 100 clusters, 10 objects; probes and discovery included",
              (made - before) / objects);
    sets_fixture_close(&fixture);
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
    if (!which || strcmp(which, "spread") == 0) {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure_spread, NULL));
    }
    if (which && strcmp(which, "most") == 0) {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure_most, NULL));
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
