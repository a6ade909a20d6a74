/*
 * Watches for drift, as `--drift-check watch` keeps them: eight streams for each cluster over one
 * HTTP/2 connection. The servers run in a process of their own, so that all figures are the
 * client's; they send a bookmark on each stream every CLUSTER_SERVERS_BOOKMARKS.
 */
#include <stdio.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "bench.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/watch_stream.h"
#include "cluster_servers.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define KINDS         8
#define AT_ONCE       64
#define REST          (30 * SECOND)
#define FLEET         80000.0 /* watches of 10,000 clusters */
#define BOOKMARK_EACH 60.0    /* seconds, of a real server */
#define REOPEN_EACH   1800.0  /* seconds, on average */

struct bench {
    struct cluster_servers servers;
    size_t count;
    struct network *network;
    struct tls_context *tls;
    struct rest_config *configs;
    struct client **clients;
    struct watch_stream **streams;
    struct watch_stream_room room;
    size_t next, ended;
    bool opens_streams; /* otherwise a request is sent */
};

static void must(struct error *err)
{
    if (!err)
        return;
    fprintf(stderr, "bench: %s\n", err->message);
    abort();
}

static void on_changed(void *data, const struct watch_event *event)
{
    (void)data;
    (void)event;
}

static void on_missed(void *data)
{
    (void)data;
}

static void on_ended(void *data, const struct error *err)
{
    struct bench *bench = data;
    bench->ended++;
    (void)err;
}

static const struct watch_stream_handler handler = {on_changed, on_missed, on_ended};

static void make_client(struct bench *bench, size_t i)
{
    SCOPED(buf) kubeconfig = {.limit = 0};
    cluster_servers_kubeconfig(&bench->servers, i, &kubeconfig);
    must(kubeconfig_read(buf_str(&kubeconfig), STR(""), NULL, &bench->configs[i]));
    bench->clients[i] = client_new(loop_current(), &(struct client_options){
                                                       .config = &bench->configs[i],
                                                       .network = bench->network,
                                                       .tls = bench->tls,
                                                   });
}

static struct error *send_request(struct client *client)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = KILOBYTE};
    struct client_raw_answer answer;
    return client_raw(client, &(struct client_raw_request){.path = STR("/livez")}, &arena, &body,
                      &answer);
}

static struct error *open_streams(struct bench *bench, size_t cluster)
{
    for (size_t i = cluster * KINDS; i < (cluster + 1) * KINDS; i++) {
        char name[32];
        const int len = snprintf(name, sizeof(name), "things%zu", i % KINDS);
        if (!bench->streams[i])
            bench->streams[i] =
                watch_stream_new(bench->clients[cluster],
                                 (struct gvr){STR(""), STR("v1"), str_from(name, (size_t)len)},
                                 &(struct watch_stream_options){
                                     .label_selector = STR("corset.dev/managed"),
                                     .form = CLIENT_METADATA,
                                     .timeout = 20 * MINUTE,
                                     .room = &bench->room,
                                     .handler = &handler,
                                     .data = bench,
                                 });
        TRY(watch_stream_open(bench->streams[i]));
    }
    return NULL;
}

static struct error *clusters_in_turn(void *data)
{
    struct bench *bench = data;
    while (bench->next < bench->count) {
        const size_t cluster = bench->next++;
        must(bench->opens_streams ? open_streams(bench, cluster)
                                  : send_request(bench->clients[cluster]));
    }
    return NULL;
}

static double for_every_cluster(struct bench *bench, bool opens_streams)
{
    SCOPED(scope) scope = {0};
    const double begun = bench_cpu();
    bench->next = 0;
    bench->opens_streams = opens_streams;
    for (int i = 0; i < AT_ONCE; i++)
        scope_start(&scope, "clusters", clusters_in_turn, bench);
    must(scope_wait(&scope));
    return bench_cpu() - begun;
}

static void close_streams(struct bench *bench)
{
    for (size_t i = 0; i < bench->count * KINDS; i++)
        watch_stream_free(TAKE(bench->streams[i]));
}

/* The processor time of a while without watches, and of the same while with them. */
static double rest(void)
{
    const double begun = bench_cpu();
    must(fiber_sleep(REST));
    return bench_cpu() - begun;
}

static void measure_streams(struct bench *bench)
{
    const double count = (double)(bench->count * KINDS);
    bench_trim();
    const size_t before = bench_resident();
    const double idle = rest();
    for_every_cluster(bench, true);
    must(fiber_sleep(CLUSTER_SERVERS_BOOKMARKS));
    bench_trim();
    const size_t after = bench_resident();
    const double watching = rest() - idle;
    const double bookmarks = count * (double)REST / (double)CLUSTER_SERVERS_BOOKMARKS;
    close_streams(bench);
    must(fiber_sleep(SECOND));
    const double opened = for_every_cluster(bench, true) / count;
    const double bookmark = watching / bookmarks;
    bench_row("memory per watch", (double)(after - before) / count / 1024, "KiB", "goal 8");
    bench_row("CPU per bookmark", bookmark * 1e6, "us", "%.0f bookmarks", bookmarks);
    bench_row("CPU to open a watch", opened * 1e6, "us", "-");
    bench_row("share of a core at rest, 80,000 watches",
              100 * FLEET * (bookmark / BOOKMARK_EACH + opened / REOPEN_EACH), "%",
              "goal 2; a bookmark every minute, opened again every 30 min");
    if (bench->ended)
        printf("  FAILED: %zu watches ended\n", bench->ended);
}

static struct error *measure(void *data)
{
    struct bench *bench = data;
    bench->network = tcp_network_new(loop_current());
    bench->tls = tls_context_new();
    bench->configs = mem_alloc_zero(bench->count * sizeof(*bench->configs));
    bench->clients = mem_alloc_zero(bench->count * sizeof(*bench->clients));
    bench->streams = mem_alloc_zero(bench->count * KINDS * sizeof(*bench->streams));
    bench->room.limit = 32 * MEGABYTE;
    for (size_t i = 0; i < bench->count; i++)
        make_client(bench, i);
    for_every_cluster(bench, false);
    for_every_cluster(bench, false);
    measure_streams(bench);
    close_streams(bench);
    for (size_t i = 0; i < bench->count; i++) {
        client_free(bench->clients[i]);
        rest_config_done(&bench->configs[i]);
    }
    mem_free(bench->streams);
    mem_free(bench->clients);
    mem_free(bench->configs);
    must(fiber_sleep(200 * MILLISECOND));
    tls_context_free(bench->tls);
    network_free(bench->network);
    return NULL;
}

void bench_watches(size_t clusters)
{
    struct bench bench = {.count = clusters, .servers = {.count = clusters}};
    char heading[128];
    cluster_servers_open(&bench.servers);
    snprintf(heading, sizeof(heading), "%zu clusters with %d watches each, over HTTP/2", clusters,
             KINDS);
    bench_heading(heading);
    cluster_servers_measure(&bench.servers, measure, &bench);
    cluster_servers_close(&bench.servers);
}
