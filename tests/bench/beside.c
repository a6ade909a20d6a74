#include "beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apimachinery/wellknown.h"
#include "app/controller_manager_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/loop_internal.h"
#include "bench.h"
#include "client/client.h"
#include "client/watch.h"
#include "json/path.h"

#define ROUNDS        3
#define ROUND_SECONDS 10
#define PROBE         SECOND
#define SAMPLES_MAX   ((size_t)100000)
#define APPLIES_MAX   ((size_t)1000)
#define PAUSE         (50 * MILLISECOND) /* between two applies */

static void must(struct error *err)
{
    api_fixture_must(err);
}

struct samples {
    double *probes, *applies; /* milliseconds */
    size_t probe_count, apply_count;
    duration turn, turn_cpu; /* the longest of the loop; CPU is known of long ones alone */
};

struct beside_run {
    const struct beside *beside;
    struct sets_fixture fixture;
    struct samples samples[2]; /* alone, beside */
    struct samples *current;   /* NULL: nothing is noted */
    int orders_fd;
    int version;
};

static void on_probe(void *data, struct key cluster, int64_t due)
{
    struct beside_run *run = data;
    struct samples *samples = run->current;
    (void)cluster;
    if (samples && samples->probe_count < SAMPLES_MAX)
        samples->probes[samples->probe_count++] =
            (double)(loop_now(loop_current()) - due) / MILLISECOND;
}

static void write_resource(struct buf *text, int version)
{
    buf_print(text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"one\","
              "\"namespace\":\"default\"},\"data\":{\"a\":\"{apiVersion: v1, kind: ConfigMap, "
              "metadata: {name: one, namespace: default}, data: {version: v%d}}\"}}",
              version);
}

static void create_object(struct beside_run *run, struct gvr gvr, const char *text)
{
    SCOPED(buf) copy = {0};
    buf_add(&copy, str_from_c(text));
    sets_fixture_create(&run->fixture, gvr, &copy);
}

/* A set on one cluster, and the watch that sees what was applied there. Suspends. */
static struct watch *open_set(struct beside_run *run)
{
    SCOPED(buf) text = {0};
    struct watch *watch = NULL;
    write_resource(&text, 0);
    create_object(run, GVR_CONFIG_MAPS, buf_c(&text));
    must(client_patch(run->fixture.admin, GVR_CLUSTERS, KEY("default", "vc-0001"),
                      CLIENT_PATCH_MERGE, STR("{\"metadata\":{\"labels\":{\"bench\":\"one\"}}}"),
                      NULL, NULL));
    create_object(
        run, GVR_CLUSTER_RESOURCE_SETS,
        "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
        "\"ClusterResourceSet\",\"metadata\":{\"name\":\"one\",\"namespace\":\"default\"},"
        "\"spec\":{\"strategy\":\"Reconcile\",\"clusterSelector\":{\"matchLabels\":{"
        "\"bench\":\"one\"}},\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"one\"}]}}");
    sets_fixture_wait_applied(&run->fixture, "one");
    must(watch_open(run->fixture.admin, GVR_CLUSTER_RESOURCE_SET_BINDINGS, STR("default"),
                    &(struct watch_options){.field_selector = STR("metadata.name=vc-0001")},
                    &watch));
    return watch;
}

static void copy_hash(const struct object *binding, char hash[static 80])
{
    const struct json_value *resource = json_at(object_path(binding, "spec.bindings"), 0);
    const struct str text = json_path_str(json_at(json_path(resource, "resources"), 0), "hash");
    snprintf(hash, 80, "%.*s", STR_ARG(text));
}

/* From the change of the ConfigMap until the binding has its hash: milliseconds. Suspends. */
static double apply_once(struct beside_run *run, struct watch *watch, char hash[static 80])
{
    SCOPED(buf) text = {0};
    struct watch_event event;
    char seen[80];
    write_resource(&text, ++run->version);
    const double begun = bench_clock();
    must(client_patch(run->fixture.admin, GVR_CONFIG_MAPS, KEY("default", "one"),
                      CLIENT_PATCH_MERGE, buf_str(&text), NULL, NULL));
    do {
        must(watch_next(watch, &event));
        if (event.type != WATCH_BOOKMARK)
            copy_hash(event.object, seen);
    } while (event.type == WATCH_BOOKMARK || strcmp(seen, hash) == 0);
    memcpy(hash, seen, sizeof(seen));
    return (bench_clock() - begun) * 1e3;
}

static void order_load(const struct beside_run *run)
{
    const struct beside *beside = run->beside;
    struct beside_orders orders = {.seconds = ROUND_SECONDS + 1};
    beside->direct(beside->data, &run->fixture, &orders);
    if (write(run->orders_fd, &orders, sizeof(orders)) != (ssize_t)sizeof(orders))
        must(error_new(ERROR_IO, "those who ask are gone"));
}

static void begin_turns(void)
{
    struct loop_turns *turns = &loop_current()->turns;
    turns->longest = turns->longest_cpu = 0;
}

static void note_turns(struct samples *samples)
{
    const struct loop_turns *turns = &loop_current()->turns;
    if (turns->longest > samples->turn)
        samples->turn = turns->longest;
    if (turns->longest_cpu > samples->turn_cpu)
        samples->turn_cpu = turns->longest_cpu;
}

/* Suspends. */
static void measure_round(struct beside_run *run, struct watch *watch, char hash[static 80],
                          bool is_beside)
{
    struct samples *samples = &run->samples[is_beside];
    if (is_beside)
        order_load(run);
    must(fiber_sleep(SECOND / 2));
    run->current = samples;
    begin_turns();
    const double end = bench_clock() + ROUND_SECONDS;
    while (bench_clock() < end && samples->apply_count < APPLIES_MAX) {
        samples->applies[samples->apply_count++] = apply_once(run, watch, hash);
        must(fiber_sleep(PAUSE));
    }
    run->current = NULL;
    note_turns(samples);
    must(fiber_sleep(2 * SECOND));
}

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double percentile(double *values, size_t count, double share)
{
    if (!count)
        return 0;
    qsort(values, count, sizeof(*values), compare);
    return values[(size_t)((double)(count - 1) * share)];
}

static void tell_rows(struct beside_run *run)
{
    const char *const names[] = {"alone", run->beside->name};
    double probes[2], applies[2];
    char what[120];
    for (int i = 0; i < 2; i++) {
        struct samples *samples = &run->samples[i];
        probes[i] = percentile(samples->probes, samples->probe_count, 0.99);
        applies[i] = percentile(samples->applies, samples->apply_count, 0.99);
        snprintf(what, sizeof(what), "probes late by, p99, %s", names[i]);
        bench_row(what, probes[i], "ms", "median %.2f ms; %zu probes",
                  percentile(samples->probes, samples->probe_count, 0.5), samples->probe_count);
        snprintf(what, sizeof(what), "an apply takes, p99, %s", names[i]);
        bench_row(what, applies[i], "ms", "median %.2f ms; %zu applies",
                  percentile(samples->applies, samples->apply_count, 0.5), samples->apply_count);
        snprintf(what, sizeof(what), "  the longest turn of the loop, %s", names[i]);
        bench_row(what, (double)samples->turn / MILLISECOND, "ms",
                  "%.1f ms of CPU: the rest is what the machine gave to others",
                  (double)samples->turn_cpu / MILLISECOND);
    }
    bench_row("  probes: times as late", probes[1] / probes[0], "x", "goal 1.1");
    bench_row("  applies: times as long", applies[1] / applies[0], "x", "goal 1.1");
}

static struct error *measure(void *data)
{
    struct beside_run *run = data;
    const struct beside *beside = run->beside;
    struct sets_fixture_options options = beside->options;
    char hash[80] = "";
    options.probe = PROBE;
    sets_fixture_open(&run->fixture, beside->virtual_clusters, &options);
    if (beside->open)
        beside->open(beside->data, &run->fixture);
    clustercache_on_probe(run->fixture.controllers->clustercache, on_probe, run);
    OWNED(watch) watch = open_set(run);
    (void)apply_once(run, watch, hash);
    must(fiber_sleep(2 * SECOND));
    for (int i = 0; i < ROUNDS * 2; i++)
        measure_round(run, watch, hash, i % 2 == 1);
    watch_free(TAKE(watch));
    if (beside->close)
        beside->close(beside->data);
    sets_fixture_close(&run->fixture);
    return NULL;
}

static pid_t start_load(const struct beside *beside, int *ret_orders_fd)
{
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct beside_orders orders;
        close(ends[1]);
        while (read(ends[0], &orders, sizeof(orders)) == (ssize_t)sizeof(orders))
            beside->ask(beside->data, &orders);
        _exit(0);
    }
    close(ends[0]);
    *ret_orders_fd = ends[1];
    return child;
}

void beside_measure(const struct beside *beside)
{
    struct beside_run run = {.beside = beside};
    const pid_t load = start_load(beside, &run.orders_fd);
    for (size_t i = 0; i < 2; i++) {
        run.samples[i].probes = calloc(SAMPLES_MAX, sizeof(double));
        run.samples[i].applies = calloc(APPLIES_MAX, sizeof(double));
    }
    {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure, &run));
    }
    tell_rows(&run);
    for (size_t i = 0; i < 2; i++) {
        free(run.samples[i].probes);
        free(run.samples[i].applies);
    }
    close(run.orders_fd);
    waitpid(load, NULL, 0);
}
