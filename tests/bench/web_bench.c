/*
 * How late probes are, and how long an apply takes, while 50 pages are loaded without pause.
 *
 * The controllers and the page are in this process, the API server with its virtual clusters is
 * another one, and the readers are a third one: it is forked before the loop exists, and waits for
 * the address of the page. Times without readers and with readers take turns, so that both have the
 * same machine.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apimachinery/wellknown.h"
#include "app/controller_manager_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "bench.h"
#include "client/client.h"
#include "client/watch.h"
#include "json/path.h"
#include "sets_fixture.h"

#define CLUSTERS      300
#define READERS       50
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

/* ---- the readers, which are a process without a loop ---- */

struct orders {
    uint16_t port;
    char key[40];
    int seconds;
};

static int dial_page(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        _exit(1);
    return fd;
}

static void ask_page(int fd, const struct orders *orders, const char *target, const char *cookie)
{
    char text[400];
    const int len =
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nCookie: %s\r\n\r\n",
                 target, (unsigned)orders->port, cookie);
    if (send(fd, text, (size_t)len, MSG_NOSIGNAL) != len)
        _exit(1);
}

/* The key works once: later orders use the cookie of the first. */
static void enter_page(const struct orders *orders, char *cookie, size_t size)
{
    char target[60], answer[4096];
    if (*cookie)
        return;
    const int fd = dial_page(orders->port);
    snprintf(target, sizeof(target), "/?key=%s", orders->key);
    ask_page(fd, orders, target, "");
    const ssize_t len = recv(fd, answer, sizeof(answer) - 1, 0);
    answer[len > 0 ? len : 0] = '\0';
    const char *found = strstr(answer, "set-cookie: ");
    if (!found)
        _exit(1);
    snprintf(cookie, size, "%.*s", (int)strcspn(found + 12, ";"), found + 12);
    close(fd);
}

/* A piece that ends an answer is followed by the next request. */
static void read_page(int fd, const struct orders *orders, const char *cookie, size_t number)
{
    static char bytes[256 * 1024];
    const ssize_t len = recv(fd, bytes, sizeof(bytes), 0);
    if (len <= 0)
        _exit(1);
    const bool is_page = len >= 7 && memcmp(bytes + len - 7, "</html>", 7) == 0;
    if (is_page)
        ask_page(fd, orders, number % 2 ? "/clusters" : "/", cookie);
}

static void load_pages(const struct orders *orders, const char *cookie)
{
    struct pollfd polls[READERS];
    const double end = bench_clock() + orders->seconds;
    for (size_t i = 0; i < READERS; i++) {
        polls[i] = (struct pollfd){.fd = dial_page(orders->port), .events = POLLIN};
        ask_page(polls[i].fd, orders, "/", cookie);
    }
    while (bench_clock() < end) {
        (void)poll(polls, READERS, 100);
        for (size_t i = 0; i < READERS; i++)
            if (polls[i].revents)
                read_page(polls[i].fd, orders, cookie, i);
    }
    for (size_t i = 0; i < READERS; i++)
        close(polls[i].fd);
}

static void run_readers(int orders_fd)
{
    struct orders orders;
    char cookie[100] = "";
    while (read(orders_fd, &orders, sizeof(orders)) == (ssize_t)sizeof(orders)) {
        enter_page(&orders, cookie, sizeof(cookie));
        load_pages(&orders, cookie);
    }
    _exit(0);
}

/* ---- the process that is measured ---- */

struct samples {
    double *probes, *applies; /* milliseconds */
    size_t probe_count, apply_count;
};

struct web_bench {
    struct sets_fixture fixture;
    struct samples samples[2]; /* without readers, with readers */
    struct samples *current;   /* NULL: nothing is noted */
    int orders_fd;
    int version;
};

static void on_probe(void *data, struct key cluster, int64_t due)
{
    struct web_bench *bench = data;
    struct samples *samples = bench->current;
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

static void create_object(struct web_bench *bench, struct gvr gvr, const char *text)
{
    SCOPED(buf) copy = {0};
    buf_add(&copy, str_from_c(text));
    sets_fixture_create(&bench->fixture, gvr, &copy);
}

/* A set on one cluster, and the watch that sees what was applied there. Suspends. */
static struct watch *open_set(struct web_bench *bench)
{
    SCOPED(buf) text = {0};
    struct watch *watch = NULL;
    write_resource(&text, 0);
    create_object(bench, GVR_CONFIG_MAPS, buf_c(&text));
    must(client_patch(bench->fixture.admin, GVR_CLUSTERS, KEY("default", "vc-0001"),
                      CLIENT_PATCH_MERGE, STR("{\"metadata\":{\"labels\":{\"bench\":\"one\"}}}"),
                      NULL, NULL));
    create_object(
        bench, GVR_CLUSTER_RESOURCE_SETS,
        "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
        "\"ClusterResourceSet\",\"metadata\":{\"name\":\"one\",\"namespace\":\"default\"},"
        "\"spec\":{\"strategy\":\"Reconcile\",\"clusterSelector\":{\"matchLabels\":{"
        "\"bench\":\"one\"}},\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"one\"}]}}");
    sets_fixture_wait_applied(&bench->fixture, "one");
    must(watch_open(bench->fixture.admin, GVR_CLUSTER_RESOURCE_SET_BINDINGS, STR("default"),
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
static double apply_once(struct web_bench *bench, struct watch *watch, char hash[static 80])
{
    SCOPED(buf) text = {0};
    struct watch_event event;
    char seen[80];
    write_resource(&text, ++bench->version);
    const double begun = bench_clock();
    must(client_patch(bench->fixture.admin, GVR_CONFIG_MAPS, KEY("default", "one"),
                      CLIENT_PATCH_MERGE, buf_str(&text), NULL, NULL));
    do {
        must(watch_next(watch, &event));
        if (event.type != WATCH_BOOKMARK)
            copy_hash(event.object, seen);
    } while (event.type == WATCH_BOOKMARK || strcmp(seen, hash) == 0);
    memcpy(hash, seen, sizeof(seen));
    return (bench_clock() - begun) * 1e3;
}

static void order_readers(const struct web_bench *bench)
{
    struct orders orders = {.seconds = ROUND_SECONDS + 1};
    const struct str address = controller_manager_page(bench->fixture.controllers);
    const size_t colon = str_find_last_char(address, ':'), key = str_find(address, STR("key="));
    const struct str rest = str_skip(address, colon + 1);
    uint64_t port = 0;
    (void)str_to_uint64(str_slice(rest, 0, str_find_char(rest, '/')), &port);
    orders.port = (uint16_t)port;
    snprintf(orders.key, sizeof(orders.key), "%.*s", STR_ARG(str_skip(address, key + 4)));
    if (write(bench->orders_fd, &orders, sizeof(orders)) != (ssize_t)sizeof(orders))
        must(error_new(ERROR_IO, "the readers are gone"));
}

/* Suspends. */
static void measure_round(struct web_bench *bench, struct watch *watch, char hash[static 80],
                          bool has_readers)
{
    struct samples *samples = &bench->samples[has_readers];
    if (has_readers)
        order_readers(bench);
    must(fiber_sleep(SECOND / 2));
    bench->current = samples;
    const double end = bench_clock() + ROUND_SECONDS;
    while (bench_clock() < end && samples->apply_count < APPLIES_MAX) {
        samples->applies[samples->apply_count++] = apply_once(bench, watch, hash);
        must(fiber_sleep(PAUSE));
    }
    bench->current = NULL;
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

static void tell_rows(struct web_bench *bench)
{
    static const char *const names[] = {"alone", "beside 50 pages that reload without pause"};
    double probes[2], applies[2];
    char what[100];
    for (int i = 0; i < 2; i++) {
        struct samples *samples = &bench->samples[i];
        probes[i] = percentile(samples->probes, samples->probe_count, 0.99);
        applies[i] = percentile(samples->applies, samples->apply_count, 0.99);
        snprintf(what, sizeof(what), "probes late by, p99, %s", names[i]);
        bench_row(what, probes[i], "ms", "median %.2f ms; %zu probes",
                  percentile(samples->probes, samples->probe_count, 0.5), samples->probe_count);
        snprintf(what, sizeof(what), "an apply takes, p99, %s", names[i]);
        bench_row(what, applies[i], "ms", "median %.2f ms; %zu applies",
                  percentile(samples->applies, samples->apply_count, 0.5), samples->apply_count);
    }
    bench_row("  probes: times as late", probes[1] / probes[0], "x", "goal 1.1");
    bench_row("  applies: times as long", applies[1] / applies[0], "x", "goal 1.1");
}

static struct error *measure_beside_pages(void *data)
{
    struct web_bench *bench = data;
    char hash[80] = "";
    sets_fixture_open(&bench->fixture, CLUSTERS,
                      &(struct sets_fixture_options){.has_page = true, .probe = PROBE});
    clustercache_on_probe(bench->fixture.controllers->clustercache, on_probe, bench);
    OWNED(watch) watch = open_set(bench);
    for (size_t i = 0; i < 2; i++) {
        bench->samples[i].probes = calloc(SAMPLES_MAX, sizeof(double));
        bench->samples[i].applies = calloc(APPLIES_MAX, sizeof(double));
    }
    (void)apply_once(bench, watch, hash);
    must(fiber_sleep(2 * SECOND));
    for (int i = 0; i < ROUNDS * 2; i++)
        measure_round(bench, watch, hash, i % 2 == 1);
    watch_free(TAKE(watch));
    sets_fixture_close(&bench->fixture);
    return NULL;
}

void bench_web(void)
{
    struct web_bench bench = {0};
    int ends[2];
    bench_heading("Probes and applies beside the fleet's page, 300 clusters");
    if (pipe(ends) != 0)
        abort();
    const pid_t readers = fork();
    if (readers == 0) {
        close(ends[1]);
        run_readers(ends[0]);
    }
    close(ends[0]);
    bench.orders_fd = ends[1];
    {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure_beside_pages, &bench));
    }
    tell_rows(&bench);
    for (size_t i = 0; i < 2; i++) {
        free(bench.samples[i].probes);
        free(bench.samples[i].applies);
    }
    close(ends[1]);
    waitpid(readers, NULL, 0);
}
