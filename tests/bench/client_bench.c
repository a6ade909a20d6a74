/*
 * The Kubernetes client against our own server, beside load generators on the same server: how much
 * of a processor one request costs, and how much memory a long list takes.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apimachinery/object_text.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/memory.h"
#include "bench.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/server.h"
#include "net/network.h"
#include "net/tcp.h"

#define OBJECT_BYTES 2048
#define OBJECTS      10000
#define REQUESTS     100000
#define AT_ONCE      64
#define LOAD_SECONDS "3"

struct client_bench {
    uint16_t port;
    struct client *client;
    size_t left, failed;
    struct object_text **kept;
    size_t kept_count, kept_bytes;
};

/* An object of about 2 KB, as typical ConfigMaps are. */
static void write_object(struct buf *out, size_t number, bool typed)
{
    const size_t begin = out->len;
    buf_add_char(out, '{');
    if (typed)
        buf_add(out, STR("\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","));
    buf_print(
        out,
        "\"metadata\":{\"name\":\"config-%05zu\",\"namespace\":\"default\",\"uid\":\"9f2b1c1e-"
        "0000-4000-8000-%012zu\",\"resourceVersion\":\"%zu\",\"labels\":{\"app\":\"bench\"}},"
        "\"data\":{",
        number, number, number + 1000);
    for (int i = 0; out->len - begin < OBJECT_BYTES - 60; i++)
        buf_print(out, "%s\"key-%02d\":\"a value of some length that repeats\"", i ? "," : "", i);
    buf_add(out, STR("}}"));
}

static struct error *answer_page(struct http_request *request, struct str target)
{
    SCOPED(buf) body = {0};
    int64_t from = 0;
    const size_t at = str_find(target, STR("continue="));
    if (at != STR_NONE) {
        struct str rest = str_skip(target, at + strlen("continue=")), token;
        str_cut(&rest, '&', &token);
        if (!str_to_int64(token, &from))
            return error_new(ERROR_BAD_REQUEST, "bad continue token");
    }
    const int64_t to = from + 500 < OBJECTS ? from + 500 : OBJECTS;
    buf_add(&body, STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                       "\"resourceVersion\":\"99999\""));
    if (to < OBJECTS)
        buf_print(&body, ",\"continue\":\"%lld\"", (long long)to);
    buf_add(&body, STR("},\"items\":["));
    for (int64_t i = from; i < to; i++) {
        if (i > from)
            buf_add_char(&body, ',');
        write_object(&body, (size_t)i, false);
    }
    buf_add(&body, STR("]}"));
    return http_request_answer(request, 200, STR("application/json"), buf_str(&body));
}

static struct error *answer(void *data, struct http_request *request)
{
    const struct buf *object = data;
    const struct str target = http_request_target(request);
    if (str_starts_with(target, STR("/api/v1/namespaces/default/configmaps/")))
        return http_request_answer(request, 200, STR("application/json"), buf_str(object));
    return answer_page(request, target);
}

static struct error *serve(void *data)
{
    const int ready = *(int *)data;
    SCOPED(buf) object = {0};
    write_object(&object, 1, true);
    struct network *network = tcp_network_new(loop_current());
    struct http_server *server;
    TRY(http_server_new(
        loop_current(),
        &(struct http_server_options){
            .network = network, .host = STR("127.0.0.1"), .handler = answer, .data = &object},
        &server));
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

static struct error *get_objects(void *data)
{
    struct client_bench *bench = data;
    while (bench->left > 0) {
        bench->left--;
        OWNED(object) object = NULL;
        struct error *err = client_get(bench->client, GVR_CONFIG_MAPS,
                                       KEY("default", "config-00001"), NULL, &object);
        bench->failed += err != NULL;
        error_free(err);
    }
    return NULL;
}

static double measure_gets(struct client_bench *bench)
{
    SCOPED(scope) scope = {0};
    bench->left = REQUESTS;
    const double cpu = bench_cpu(), clock = bench_clock();
    for (int i = 0; i < AT_ONCE; i++)
        scope_start(&scope, "gets", get_objects, bench);
    error_free(scope_wait(&scope));
    const double rate = REQUESTS / (bench_cpu() - cpu);
    bench_row("GETs of 2 KB through the client, per CPU second", rate, "/s",
              "%.0f /s on the clock, %zu failed", REQUESTS / (bench_clock() - clock),
              bench->failed);
    return rate;
}

/* Runs a load generator and gives its requests per second of its own processor time. */
static double measure_load(const char *what, const char *command, const char *count_label)
{
    struct rusage before, after;
    char line[512];
    double done = 0;
    getrusage(RUSAGE_CHILDREN, &before);
    FILE *output = popen(command, "r"); /* NOLINT(cert-env33-c): our own fixed text */
    if (!output)
        return 0;
    while (fgets(line, sizeof(line), output)) {
        const char *label = strstr(line, count_label);
        if (label)
            done = strtod(line + strspn(line, " \t"), NULL);
    }
    pclose(output);
    getrusage(RUSAGE_CHILDREN, &after);
    const double cpu = (double)(after.ru_utime.tv_sec + after.ru_stime.tv_sec -
                                before.ru_utime.tv_sec - before.ru_stime.tv_sec) +
                       (double)(after.ru_utime.tv_usec + after.ru_stime.tv_usec -
                                before.ru_utime.tv_usec - before.ru_stime.tv_usec) /
                           1e6;
    const double rate = cpu > 0 ? done / cpu : 0;
    bench_row(what, rate, "/s", "%.0f requests", done);
    return rate;
}

static struct error *keep(void *data, struct object *object)
{
    struct client_bench *bench = data;
    struct object_text *text = object_text_new(object);
    bench->kept_bytes += object_text_size(text);
    bench->kept[bench->kept_count++] = text;
    return NULL;
}

static void restart(void *data)
{
    (void)data;
    abort(); /* this server forgets nothing */
}

static size_t peak_resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

static void measure_list(struct client_bench *bench)
{
    SCOPED(buf) version = {0};
    bench->kept = mem_alloc_zero(OBJECTS * sizeof(struct object_text *));
    bench_trim();
    const size_t before = bench_resident();
    const double cpu = bench_cpu();
    const struct client_list_sink sink = {keep, restart, bench};
    OWNED(error)
    err = client_list_each(bench->client, GVR_CONFIG_MAPS, STR("default"), NULL, &sink, &version);
    if (err)
        printf("  FAILED: %s\n", err->message);
    const double text = (double)bench->kept_bytes;
    bench_row("list of 10,000 objects of 2 KB, kept as text", text / 1e6, "MB",
              "%zu objects, %.2f s CPU", bench->kept_count, bench_cpu() - cpu);
    bench_row("  peak memory over the text", (double)(peak_resident() - before) / text, "times",
              "goal 3");
    for (size_t i = 0; i < bench->kept_count; i++)
        object_text_free(bench->kept[i]);
    mem_free(bench->kept);
}

static struct error *measure(void *data)
{
    struct client_bench *bench = data;
    struct network *network = tcp_network_new(loop_current());
    struct rest_config config = {
        .host = STR("http://127.0.0.1"),
        .server = {.scheme = URL_HTTP, .host = STR("127.0.0.1"), .port = bench->port},
    };
    const struct client_options options = {
        .config = &config, .network = network, .qps = -1, .connections = AT_ONCE};
    bench->client = client_new(loop_current(), &options);
    measure_list(bench);
    const double ours = measure_gets(bench);
    char command[256];
    snprintf(command, sizeof(command),
             "wrk -t1 -c%d -d" LOAD_SECONDS "s -H 'Accept: application/json' "
             "http://127.0.0.1:%u/api/v1/namespaces/default/configmaps/config-00001 2>&1",
             AT_ONCE, bench->port);
    const double wrk = measure_load("the same by wrk, per CPU second", command, "requests in");
    snprintf(command, sizeof(command),
             "h2load --h1 -t1 -c%d -D" LOAD_SECONDS
             " http://127.0.0.1:%u/api/v1/namespaces/default/configmaps/config-00001 2>&1"
             " | sed -n 's/.*, \\([0-9]*\\) done,.*/\\1 done/p'",
             AT_ONCE, bench->port);
    measure_load("the same by h2load over HTTP/1.1, per CPU second", command, "done");
    bench_row("the client's rate over wrk's", wrk > 0 ? 100 * ours / wrk : 0, "%", "goal 60");
    client_free(bench->client);
    error_free(fiber_sleep(100 * MILLISECOND));
    network_free(network);
    return NULL;
}

void bench_client(void)
{
    struct client_bench bench = {0};
    bench_heading("The Kubernetes client");
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
