/*
 * Connections to many servers, each at its own address with its own authority, as a fleet of
 * clusters has them. The servers run in a process of their own, so that all figures are the
 * client's.
 */
#include <stdio.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "async/semaphore.h"
#include "base/memory.h"
#include "bench.h"
#include "cluster_servers.h"
#include "http/client.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define AT_ONCE  64
#define REQUESTS 50000
#define FEW      100

struct bench {
    struct cluster_servers servers;
    size_t count;
    bool http2;
    struct network *network;
    struct tls_context *tls;
    struct http_client **clients;
    struct semaphore slots;
    size_t next, done, failed, used; /* of the run under way */
};

static void must(struct error *err)
{
    if (!err)
        return;
    fprintf(stderr, "bench: %s\n", err->message);
    abort();
}

static struct http_client *make_client(struct bench *bench, size_t i)
{
    const struct cluster_servers_credentials credentials =
        cluster_servers_credentials(&bench->servers, i);
    OWNED(tls_identity) identity = NULL;
    OWNED(tls_trust) trust = NULL;
    must(tls_identity_read(str_from_c(credentials.client), str_from_c(credentials.client_key),
                           &identity));
    must(tls_trust_read(str_from_c(credentials.authority), &trust));
    char address[CLUSTER_SERVERS_ADDRESS];
    cluster_servers_address(i, address);
    const struct http_client_options options = {
        .endpoint = {.network = bench->network,
                     .host = str_from_c(address),
                     .port = bench->servers.port,
                     .tls = bench->tls,
                     .identity = identity,
                     .trust = trust,
                     .no_http2 = !bench->http2},
        .timeouts = {.idle = HOUR,         .ping = HOUR       },
    };
    return http_client_new(loop_current(), &options);
}

static struct error *request_once(struct bench *bench, size_t i)
{
    OWNED(http_response) response = NULL;
    char bytes[64];
    size_t len;
    FIBER_TIMEOUT(MINUTE);
    TRY(http_client_send(bench->clients[i], &(struct http_client_request){.target = STR("/livez")},
                         &response));
    do
        TRY(http_response_read(response, bytes, sizeof(bytes), &len));
    while (len > 0);
    return NULL;
}

static struct error *requests_in_turn(void *data)
{
    struct bench *bench = data;
    while (bench->next < bench->done) {
        struct error *err = request_once(bench, bench->next++ % bench->used);
        if (err && bench->failed++ == 0)
            fprintf(stderr, "bench: %s\n", err->message);
        error_free(err);
    }
    return NULL;
}

/* Sends requests over the first "used" clients, AT_ONCE at a time, in turn. */
static double run_requests(struct bench *bench, size_t used, size_t requests)
{
    SCOPED(scope) scope = {0};
    bench->next = 0;
    bench->done = requests;
    bench->used = used;
    const double begun = bench_cpu();
    for (int i = 0; i < AT_ONCE; i++)
        scope_start(&scope, "requests", requests_in_turn, bench);
    must(scope_wait(&scope));
    return bench_cpu() - begun;
}

static void measure_handshakes(struct bench *bench)
{
    const size_t some = bench->count < 1000 ? bench->count : 1000;
    const char *const kinds[] = {"handshakes per second of client CPU, full",
                                 "handshakes per second of client CPU, resumed"};
    for (int resumed = 0; resumed < 2; resumed++) {
        for (size_t i = 0; i < some; i++) {
            if (resumed) {
                http_client_close_idle(bench->clients[i]);
            } else {
                http_client_free(bench->clients[i]);
                bench->clients[i] = make_client(bench, i);
            }
        }
        must(fiber_sleep(200 * MILLISECOND));
        const double cpu = run_requests(bench, some, some);
        bench_row(kinds[resumed], (double)some / cpu, "/s", "P-256, client certificate, %.2f ms",
                  cpu / (double)some * 1000);
    }
}

static struct error *measure(void *data)
{
    struct bench *bench = data;
    bench->network = tcp_network_new(loop_current());
    bench->tls = tls_context_new();
    bench->clients = mem_alloc_zero(bench->count * sizeof(*bench->clients));
    /* Warm up what is paid once. */
    bench->clients[0] = make_client(bench, 0);
    must(request_once(bench, 0));
    must(request_once(bench, 0));

    bench_trim();
    const size_t before = bench_resident();
    for (size_t i = 1; i < bench->count; i++)
        bench->clients[i] = make_client(bench, i);
    bench_trim();
    const size_t clients = bench_resident();
    const double begun = bench_clock();
    run_requests(bench, bench->count, bench->count);
    const double connected = bench_clock() - begun;
    run_requests(bench, bench->count, bench->count);
    const size_t full = bench_resident();
    bench_trim();
    const size_t trimmed = bench_resident();
    const double each = 1024.0 * (double)(bench->count - 1);
    bench_row("memory per idle connection", (double)(full - before) / each, "KiB",
              bench->http2 ? "goal 44; prototype 54" : "goal 36; prototype 39");
    bench_row("  the same after giving unused heap back", (double)(trimmed - before) / each, "KiB",
              bench->http2 ? "" : "prototype 30");
    bench_row("  of which credentials and client", (double)(clients - before) / each, "KiB", "-");
    bench_row("time to connect all", connected, "s", "%zu at once, both processes",
              (size_t)AT_ONCE);

    run_requests(bench, FEW, REQUESTS / 5);
    for (int i = 0; i < 2; i++) {
        const double few = run_requests(bench, FEW, REQUESTS) / REQUESTS;
        const double all = run_requests(bench, bench->count, REQUESTS) / REQUESTS;
        bench_row("CPU per kept-alive request, 100 connections", few * 1e6, "us", "-");
        bench_row("CPU per kept-alive request, all connections", all * 1e6, "us",
                  "%.2f times the above", all / few);
    }
    measure_handshakes(bench);
    if (bench->failed)
        printf("  FAILED: %zu requests\n", bench->failed);

    for (size_t i = 0; i < bench->count; i++)
        http_client_free(bench->clients[i]);
    mem_free(bench->clients);
    must(fiber_sleep(200 * MILLISECOND));
    tls_context_free(bench->tls);
    network_free(bench->network);
    return NULL;
}

void bench_connections(size_t count)
{
    struct bench bench = {.count = count, .servers = {.count = count}};
    cluster_servers_open(&bench.servers);
    for (int http2 = 0; http2 < 2; http2++) {
        bench.http2 = http2;
        char heading[128];
        snprintf(heading, sizeof(heading),
                 "%zu TLS connections over HTTP/%s, each to its own address and authority", count,
                 http2 ? "2" : "1.1");
        bench_heading(heading);
        cluster_servers_measure(&bench.servers, measure, &bench);
    }
    cluster_servers_close(&bench.servers);
}
