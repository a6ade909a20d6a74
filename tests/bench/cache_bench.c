/*
 * A cache of 100,000 objects of 2 KB, loaded from a server in another process: its memory relative
 * to the text it holds, at rest and while everything is loaded anew.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/buf.h"
#include "bench.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "controller/cache/cache.h"
#include "http/server.h"
#include "net/network.h"
#include "net/tcp.h"

#define OBJECT_BYTES 2048
#define OBJECTS      100000
#define CHANGED      1000         /* one of so many has changed when everything is loaded anew */
#define REST         (5 * SECOND) /* between the two loads */

struct cache_bench {
    uint16_t port;
    size_t streams; /* the server's */
    struct client *client;
};

/* An event of an object of about 2 KB, as typical ConfigMaps are. */
static void write_event(struct buf *out, size_t number, size_t version)
{
    const size_t begin = out->len;
    buf_print(out,
              "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
              "\"metadata\":{\"name\":\"config-%06zu\",\"namespace\":\"default\",\"uid\":"
              "\"9f2b1c1e-0000-4000-8000-%012zu\",\"resourceVersion\":\"%zu\",\"labels\":{\"app\":"
              "\"bench\"}},\"data\":{",
              number, number, version);
    for (int i = 0; out->len - begin < OBJECT_BYTES; i++)
        buf_print(out, "%s\"key-%02d\":\"a value of some length that repeats\"", i ? "," : "", i);
    buf_add(out, STR("}}}\n"));
}

static void write_bookmark(struct buf *out, size_t version)
{
    buf_print(out,
              "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
              "\"metadata\":{\"resourceVersion\":\"%zu\",\"annotations\":"
              "{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
              version);
}

/* The second stream has a few objects in new versions; the first one ends so that there is one. */
static struct error *stream(void *data, struct http_request *request)
{
    struct cache_bench *bench = data;
    const size_t round = bench->streams++;
    SCOPED(buf) text = {0};
    TRY(http_request_respond(request, 200, NULL));
    for (size_t i = 0; i < OBJECTS; i++) {
        const bool changed = round > 0 && i % CHANGED == 0;
        write_event(&text, i, i + 1 + (changed ? OBJECTS : 0));
        if (text.len < 64 * KILOBYTE)
            continue;
        TRY(http_request_write(request, buf_str(&text)));
        buf_clear(&text);
    }
    write_bookmark(&text, (round + 1) * OBJECTS);
    TRY(http_request_write(request, buf_str(&text)));
    TRY(fiber_sleep(round ? HOUR : REST));
    return http_request_write(
        request, STR("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                     "\"reason\":\"Expired\",\"message\":\"too old\",\"code\":410}}\n"));
}

static struct error *serve(void *data)
{
    const int ready = *(int *)data;
    struct cache_bench bench = {0};
    struct network *network = tcp_network_new(loop_current());
    struct http_server *server;
    const struct http_server_options options = {
        .network = network, .host = STR("127.0.0.1"), .handler = stream, .data = &bench};
    TRY(http_server_new(loop_current(), &options, &server));
    const uint16_t port = http_server_port(server);
    if (write(ready, &port, sizeof(port)) != sizeof(port))
        abort();
    return fiber_sleep(HOUR);
}

static pid_t start_server(uint16_t *ret_port)
{
    int fds[2];
    if (pipe(fds) != 0)
        abort();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct loop *loop = loop_new();
        error_free(loop_run(loop, serve, &fds[1]));
        _exit(0);
    }
    close(fds[1]);
    if (read(fds[0], ret_port, sizeof(*ret_port)) != sizeof(*ret_port))
        abort();
    close(fds[0]);
    return child;
}

static size_t peak_resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

/* What a handler usually does: as good as nothing. */
static void count_change(void *data, const struct cache_event *event)
{
    (void)event;
    ++*(size_t *)data;
}

static bool get_text(void *data, struct object_text *text)
{
    const struct cache *cache = data;
    OWNED(object) object = cache_get(cache, object_text_key(text));
    return object != NULL;
}

static void measure_gets(const struct cache *cache)
{
    const double cpu = bench_cpu();
    cache_each(cache, STR(""), get_text, (void *)cache);
    bench_row("  objects read from the cache, parsed", OBJECTS / (bench_cpu() - cpu), "/s",
              "per CPU second");
}

static void measure_load(struct cache_bench *bench, struct cache_set *set)
{
    size_t told = 0;
    struct cache_handler handler = {.changed = count_change, .data = &told};
    bench_trim();
    const size_t before = bench_resident();
    const double cpu = bench_cpu();
    struct cache *cache = cache_set_get(set, &(struct cache_options){.gvr = GVR_CONFIG_MAPS});
    (void)bench;
    cache_add_handler(cache, &handler);
    OWNED(error) err = cache_wait_synced(cache);
    if (err)
        printf("  FAILED: %s\n", err->message);
    const double text = (double)cache_bytes(cache);
    bench_row("cache of 100,000 objects of 2 KB", text / 1e6, "MB", "%zu objects, %zu told",
              cache_count(cache), told);
    bench_row("  loaded, per CPU second", OBJECTS / (bench_cpu() - cpu), "/s", "streaming list");
    bench_row("  memory over the text", (double)(bench_resident() - before) / text, "times",
              "goal 1.5; peak %.2f", (double)(peak_resident() - before) / text);
    measure_gets(cache);
    const double again = bench_cpu();
    while (!err && str_eq(cache_resource_version(cache), STR("100000")))
        err = fiber_sleep(10 * MILLISECOND);
    bench_row("  loaded anew, per CPU second", OBJECTS / (bench_cpu() - again), "/s",
              "1 of 1,000 has changed");
    bench_row("  peak memory over the text", (double)(peak_resident() - before) / text, "times",
              "while it was loaded anew");
}

static struct error *measure(void *data)
{
    struct cache_bench *bench = data;
    struct network *network = tcp_network_new(loop_current());
    struct rest_config config = {
        .host = STR("http://127.0.0.1"),
        .server = {.scheme = URL_HTTP, .host = STR("127.0.0.1"), .port = bench->port},
    };
    const struct client_options options = {.config = &config, .network = network, .qps = -1};
    bench->client = client_new(loop_current(), &options);
    struct cache_set *set = cache_set_new(loop_current(), bench->client);
    measure_load(bench, set);
    cache_set_free(set);
    client_free(bench->client);
    error_free(fiber_sleep(100 * MILLISECOND));
    network_free(network);
    return NULL;
}

void bench_cache(void)
{
    struct cache_bench bench = {0};
    bench_heading("Caches");
    const pid_t server = start_server(&bench.port);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        OWNED(loop) loop = loop_new();
        error_free(loop_run(loop, measure, &bench));
        fflush(NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}
