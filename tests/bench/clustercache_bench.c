/*
 * The ClusterCache over many clusters. Their servers are processes of their own, each server with
 * an authority and a client certificate of its own; the management cluster is another one; whatever
 * is measured is a whole controller process, and a new one each time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_fixture.h"
#include "apimachinery/wellknown.h"
#include "app/cache_trim.h"
#include "app/controller_manager_internal.h"
#include "async/fiber.h"
#include "async/loop_internal.h"
#include "async/scope.h"
#include "base/log.h"
#include "bench.h"
#include "client/client.h"
#include "cluster_servers.h"
#include "controller/cache/cache.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define FEW              1000
#define MANY             10000
#define WRITERS          32
#define CONNECT_TIMEOUT  (5 * MINUTE)
#define STEADY           (40 * SECOND)
#define WARM_UP          (60 * SECOND)
#define TURNS_TIME       (60 * SECOND)
#define LATENESS_TIME    (2 * MINUTE)
#define LATENESS_SAMPLES ((size_t)100000)

/* What the processes that measure tell the one that prints. */
struct results {
    double cache_bytes[2], process_bytes[2], trimmed_bytes[2]; /* with few and with many */
    double resident_bytes[2];                                  /* all of the process */
    double connect_seconds[2], most_seconds[2], connect_cpu[2];
    double probes[2], probe_cpu[2];
    struct {
        size_t count, connected;
        double p50, p99, most;
    } lateness[2]; /* without the sick ones, with them */
    struct loop_turns turns;
    double turns_cpu; /* seconds of the whole process */
};

struct clusters_bench {
    struct cluster_servers servers;
    struct api_fixture fixture;
    struct results *results;

    /* Of one process. */
    size_t clusters;
    int step;
    size_t threads; /* of the controllers */
    struct controller_manager *controllers;
    struct scope running;
    struct client *client;
    size_t next; /* cluster to be registered */
    size_t probes;
    double *samples;
    bool is_sampling;
};

static void must(struct error *err)
{
    api_fixture_must(err);
}

/* Processes. */

struct process {
    fiber_fn fn;
    struct clusters_bench *bench;
};

/* Ends the process with everything in it: how it is released is measured elsewhere. */
static struct error *run_and_exit(void *data)
{
    const struct process *process = data;
    must(process->fn(process->bench));
    fflush(NULL);
    _exit(0);
}

static void quiet(void *data, struct str line)
{
    (void)data;
    (void)line;
}

static pid_t start_process(fiber_fn fn, struct clusters_bench *bench)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0)
        return child;
    log_set_sink(quiet, NULL);
    must(loop_run(loop_new(), run_and_exit, &(struct process){fn, bench}));
    _exit(1);
}

static void wait_process(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "bench: a process that measures has failed\n");
        abort();
    }
}

static void run_process(fiber_fn fn, struct clusters_bench *bench)
{
    wait_process(start_process(fn, bench));
}

static void open_network(struct clusters_bench *bench)
{
    bench->fixture.network = tcp_network_new(loop_current());
    bench->fixture.tls = tls_context_new();
}

static struct client *open_client(const struct clusters_bench *bench)
{
    return client_new(loop_current(), &(struct client_options){.config = &bench->fixture.config,
                                                               .network = bench->fixture.network,
                                                               .tls = bench->fixture.tls,
                                                               .qps = -1,
                                                               .burst = 1});
}

/* Clusters and Secrets of the management cluster. */

static struct error *register_some(void *data)
{
    struct clusters_bench *bench = data;
    while (bench->next < bench->clusters) {
        const size_t index = bench->next++;
        cluster_servers_register(&bench->servers, index, bench->client);
    }
    return NULL;
}

static struct error *register_all(void *data)
{
    struct clusters_bench *bench = data;
    SCOPED(scope) writers = {0};
    open_network(bench);
    bench->client = open_client(bench);
    for (size_t i = 0; i < WRITERS; i++)
        scope_start(&writers, "writer", register_some, bench);
    return scope_wait(&writers);
}

static void open_bench(struct clusters_bench *bench, size_t count, bool has_sick)
{
    *bench = (struct clusters_bench){
        .servers = {.count = count, .has_sick = has_sick},
    };
    bench->results = mmap(NULL, sizeof(*bench->results), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cluster_servers_open(&bench->servers);
    cluster_servers_start(&bench->servers);
    api_fixture_make_folder(bench->fixture.folder, "bench-clusters");
    api_fixture_start(&bench->fixture, NULL);
}

static void close_bench(struct clusters_bench *bench)
{
    api_fixture_stop(&bench->fixture);
    rest_config_done(&bench->fixture.config);
    api_fixture_remove_folder(bench->fixture.folder);
    cluster_servers_stop(&bench->servers);
    cluster_servers_close(&bench->servers);
    munmap(bench->results, sizeof(*bench->results));
}

/* The process that is measured. */

static struct error *run_controllers(void *data)
{
    return error_ignore(controller_manager_run(data), ERROR_CANCELED);
}

static double lateness_of(int64_t due)
{
    return (double)(loop_now(loop_current()) - due) / MILLISECOND;
}

static size_t index_of(struct key cluster)
{
    uint64_t index = 0;
    (void)str_to_uint64(str_skip(cluster.name, 1), &index);
    return (size_t)index;
}

static void on_probe(void *data, struct key cluster, int64_t due)
{
    struct clusters_bench *bench = data;
    if (bench->samples && bench->is_sampling && bench->probes < LATENESS_SAMPLES &&
        cluster_servers_manner(&bench->servers, index_of(cluster)) == CLUSTER_SERVERS_WELL)
        bench->samples[bench->probes++] = lateness_of(due);
    else if (!bench->samples)
        bench->probes++;
}

static void start_controllers(struct clusters_bench *bench, struct str watch_filter)
{
    must(controller_manager_new(
        loop_current(),
        &(struct controller_manager_options){.config = &bench->fixture.config,
                                             .network = bench->fixture.network,
                                             .tls = bench->fixture.tls,
                                             .user_agent = STR("bench"),
                                             .watch_filter = watch_filter,
                                             .threads = bench->threads,
                                             .qps = -1,
                                             .burst = 1},
        &bench->controllers));
    clustercache_on_probe(bench->controllers->clustercache, on_probe, bench);
    scope_start(&bench->running, "controllers", run_controllers, bench->controllers);
}

static void wait_connected(struct clusters_bench *bench, size_t count)
{
    FIBER_TIMEOUT(CONNECT_TIMEOUT);
    while (clustercache_connected(bench->controllers->clustercache) < count)
        must(fiber_sleep(5 * MILLISECOND));
}

static double resident(void)
{
    return (double)bench_resident();
}

/* What is kept of Clusters and Secrets, before anything is connected. */
static struct error *measure_caches(void *data)
{
    struct clusters_bench *bench = data;
    open_network(bench);
    bench->client = open_client(bench);
    bench_trim();
    const double before = resident();
    struct cache_set *set = cache_set_new(loop_current(), bench->client);
    cache_set_get(set,
                  &(struct cache_options){.gvr = GVR_CLUSTERS, .transform = cache_trim_cluster});
    cache_set_get(set, &(struct cache_options){.gvr = GVR_SECRETS, .transform = cache_trim_secret});
    must(cache_set_wait_synced(set));
    bench_trim();
    bench->results->cache_bytes[bench->step] = resident() - before;
    return NULL;
}

static struct error *measure_connected(void *data)
{
    struct clusters_bench *bench = data;
    struct results *results = bench->results;
    const int step = bench->step;
    open_network(bench);
    bench_trim();
    const double before = resident(), begun = bench_clock(), cpu = bench_cpu();
    start_controllers(bench, STR(""));
    wait_connected(bench, bench->clusters * 99 / 100);
    results->most_seconds[step] = bench_clock() - begun;
    wait_connected(bench, bench->clusters);
    results->connect_seconds[step] = bench_clock() - begun;
    results->connect_cpu[step] = bench_cpu() - cpu;
    must(fiber_sleep(STEADY / 2));
    const size_t probes = bench->probes;
    const double steady = bench_cpu();
    must(fiber_sleep(STEADY));
    results->probe_cpu[step] = bench_cpu() - steady;
    results->probes[step] = (double)(bench->probes - probes);
    results->resident_bytes[step] = resident();
    results->process_bytes[step] = results->resident_bytes[step] - before;
    bench_trim();
    results->trimmed_bytes[step] = resident() - before;
    return NULL;
}

static void print_step(const struct results *results, int step, size_t count, size_t threads)
{
    char heading[80];
    snprintf(heading, sizeof(heading), "%zu clusters connected, probed every 10 s, %zu thread%s",
             count, threads, threads == 1 ? "" : "s");
    bench_heading(heading);
    const double each = 1024.0 * (double)count;
    bench_row("memory per cluster", results->process_bytes[step] / each, "KiB",
              "goal 44; the whole process over an empty one");
    bench_row("  all of the process", results->resident_bytes[step] / 1024 / 1024, "MiB",
              "goal with 10,000: 400");
    bench_row("  the same after giving unused heap back", results->trimmed_bytes[step] / each,
              "KiB", "-");
    bench_row("  of which caches of Clusters and Secrets", results->cache_bytes[step] / each, "KiB",
              "measured alone");
    bench_row("probes per second of CPU", results->probes[step] / results->probe_cpu[step], "/s",
              "%.0f probes in %.0f s, %.1f %% of a core; goal with 10,000: 10",
              results->probes[step], (double)STEADY / SECOND,
              results->probe_cpu[step] * 100 / ((double)STEADY / SECOND));
    bench_row("from the start until all are connected", results->connect_seconds[step], "s",
              "goal with 10,000: 20; %.1f s of CPU, %.2f ms for each", results->connect_cpu[step],
              results->connect_cpu[step] * 1000 / (double)count);
    bench_row("  until 99 of 100 are", results->most_seconds[step], "s", "-");
}

static void measure_step(struct clusters_bench *bench, int step, size_t count, size_t threads)
{
    bench->step = step;
    bench->clusters = count;
    bench->threads = threads;
    if (bench->next < count)
        run_process(register_all, bench);
    bench->next = count;
    run_process(measure_caches, bench);
    run_process(measure_connected, bench);
    print_step(bench->results, step, count, threads);
}

static void bench_many(void)
{
    struct clusters_bench bench;
    open_bench(&bench, MANY, false);
    measure_step(&bench, 0, FEW, 1);
    measure_step(&bench, 1, MANY, 1);
    const struct results *results = bench.results;
    bench_row("memory of each further cluster",
              (results->process_bytes[1] - results->process_bytes[0]) / 1024 / (MANY - FEW), "KiB",
              "%.2f times that of the first 1,000; goal at most 1",
              (results->process_bytes[1] - results->process_bytes[0]) / (MANY - FEW) /
                  (results->process_bytes[0] / FEW));
    close_bench(&bench);
}

/* The larger step alone, for a short moment of a quiet machine: with one thread and with two. */
static void bench_most(void)
{
    struct clusters_bench bench;
    open_bench(&bench, MANY, false);
    measure_step(&bench, 0, MANY, 1);
    measure_step(&bench, 1, MANY, 2);
    close_bench(&bench);
}

/* Lateness. */

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static struct error *measure_lateness(void *data)
{
    struct clusters_bench *bench = data;
    const bool with_sick = bench->step == 1;
    bench->samples = calloc(LATENESS_SAMPLES, sizeof(*bench->samples));
    open_network(bench);
    start_controllers(bench, with_sick ? STR("") : STR("well"));
    wait_connected(bench, bench->clusters * 13 / 20);
    must(fiber_sleep(WARM_UP));
    bench->is_sampling = true;
    must(fiber_sleep(LATENESS_TIME));
    const size_t count = bench->probes;
    if (!count)
        return error_new(ERROR_INTERNAL, "nothing was probed");
    qsort(bench->samples, count, sizeof(*bench->samples), compare);
    __typeof__(bench->results->lateness[0]) *result = &bench->results->lateness[bench->step];
    result->count = count;
    result->connected = clustercache_connected(bench->controllers->clustercache);
    result->p50 = bench->samples[count / 2];
    result->p99 = bench->samples[count * 99 / 100];
    result->most = bench->samples[count - 1];
    return NULL;
}

static void bench_sick(void)
{
    static const char *const names[] = {"probes of 650 healthy clusters alone: late by, p99",
                                        "the same beside 350 sick ones: late by, p99"};
    struct clusters_bench bench;
    pid_t children[2];
    open_bench(&bench, FEW, true);
    bench.clusters = FEW;
    run_process(register_all, &bench);
    bench_heading("How late probes are, with sick clusters and without, at the same time");
    for (int step = 0; step < 2; step++) { /* side by side: both have the same machine */
        bench.step = step;
        children[step] = start_process(measure_lateness, &bench);
    }
    for (int step = 0; step < 2; step++)
        wait_process(children[step]);
    const struct results *results = bench.results;
    for (int step = 0; step < 2; step++)
        bench_row(names[step], results->lateness[step].p99, "ms",
                  "p50 %.2f, most %.1f ms; %zu probes, %zu connected", results->lateness[step].p50,
                  results->lateness[step].most, results->lateness[step].count,
                  results->lateness[step].connected);
    bench_row("  difference", (results->lateness[1].p99 / results->lateness[0].p99 - 1) * 100, "%",
              "goal: less than 10");
    close_bench(&bench);
}

/* The longest turns of the loop: while everything connects, then at rest. */

static struct error *measure_turns(void *data)
{
    struct clusters_bench *bench = data;
    open_network(bench);
    const double cpu = bench_cpu();
    start_controllers(bench, STR(""));
    wait_connected(bench, bench->clusters * 13 / 20);
    must(fiber_sleep(TURNS_TIME));
    bench->results->turns = loop_current()->turns;
    bench->results->turns_cpu = bench_cpu() - cpu;
    bench->results->lateness[0].connected =
        clustercache_connected(bench->controllers->clustercache);
    return NULL;
}

static void bench_turns(void)
{
    struct clusters_bench bench;
    uint64_t count = 0;
    open_bench(&bench, MANY, true);
    bench.clusters = MANY;
    run_process(register_all, &bench);
    bench_heading("Turns of the loop with 10,000 clusters, 3,500 of them sick");
    run_process(measure_turns, &bench);
    const struct results *results = bench.results;
    for (size_t i = 0; i < LOOP_TURNS_BUCKETS; i++)
        count += results->turns.counts[i];
    bench_row("the longest turn", (double)results->turns.longest / MILLISECOND, "ms",
              "goal: less than 50; %.1f ms of processor time",
              (double)results->turns.longest_cpu / MILLISECOND);
    bench_row("all turns", (double)count, "-", "%.1f s of them, %.1f s of CPU; %zu connected",
              results->turns.seconds, results->turns_cpu, results->lateness[0].connected);
    close_bench(&bench);
}

void bench_clusters(const char *which)
{
    if (!which || strcmp(which, "turns") == 0)
        bench_turns();
    if (!which || strcmp(which, "sick") == 0)
        bench_sick();
    if (!which || strcmp(which, "many") == 0)
        bench_many();
    if (which && strcmp(which, "most") == 0)
        bench_most();
}
