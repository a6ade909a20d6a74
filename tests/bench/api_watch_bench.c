/* Watches: what an idle one costs the server, and how soon all of them hear of a change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "api_bench.h"
#include "async/event.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "bench.h"
#include "json/json.h"
#include "json/path.h"

#define PER_CONNECTION 250 /* streams of an HTTP/2 connection */
#define IDLE_HTTP2     10000
#define IDLE_HTTP1     2000
#define OPENERS        32
#define WATCHERS       1000
#define ROUNDS         100
#define WATCHED_BYTES  1024

/* Many watches from now on, over few connections or many. */
struct watches {
    struct http_client **clients;
    size_t client_count, per_client, count;
    struct str version;
    struct http_response **streams;
    size_t next;
};

static struct error *open_one(struct watches *watches, size_t i)
{
    SCOPED(buf) target = {0};
    buf_print(&target,
              "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=%.*s"
              "&timeoutSeconds=3000",
              STR_ARG(watches->version));
    const struct http_client_request request = {.target = buf_str(&target)};
    FIBER_TIMEOUT(MINUTE);
    TRY(http_client_send(watches->clients[i / watches->per_client], &request,
                         &watches->streams[i]));
    const int status = http_response_status(watches->streams[i]);
    return status == 200 ? NULL : error_new(ERROR_INTERNAL, "watch: status %d", status);
}

static struct error *open_some(void *data)
{
    struct watches *watches = data;
    while (watches->next < watches->count) {
        const size_t i = watches->next++;
        TRY(open_one(watches, i));
    }
    return NULL;
}

static void watches_open(struct watches *watches, const struct api_fixture *fixture, size_t count,
                         bool http2, size_t per_client)
{
    SCOPED(scope) scope = {0};
    OWNED(http_client) client = api_fixture_client(fixture, 1, false);
    SCOPED(buf) list = {0};
    OWNED(json_doc) doc = NULL;
    const struct api_fixture_request request = {
        .target = STR("/api/v1/namespaces/default/configmaps?limit=1")};
    api_fixture_must(api_fixture_send(client, &request, &list));
    api_fixture_must(json_read(buf_str(&list), &doc));
    watches->version = json_path_str(json_doc_root(doc), "metadata.resourceVersion");
    watches->count = count;
    watches->per_client = http2 ? per_client : count;
    watches->client_count = http2 ? (count + per_client - 1) / per_client : 1;
    watches->clients = mem_alloc_zero(watches->client_count * sizeof(struct http_client *));
    watches->streams = mem_alloc_zero(count * sizeof(struct http_response *));
    for (size_t i = 0; i < watches->client_count; i++)
        watches->clients[i] = api_fixture_client(fixture, http2 ? 1 : count, http2);
    for (size_t i = 0; i < OPENERS; i++)
        scope_start(&scope, "open", open_some, watches);
    api_fixture_must(scope_wait(&scope));
}

static void watches_done(struct watches *watches)
{
    for (size_t i = 0; i < watches->count; i++)
        http_response_free(watches->streams[i]);
    for (size_t i = 0; i < watches->client_count; i++)
        http_client_free(watches->clients[i]);
    mem_free(watches->streams);
    mem_free(watches->clients);
}

/* Until the server has noticed that the watches are gone. */
static void settle(void)
{
    api_fixture_must(fiber_sleep(2 * SECOND));
}

static void measure_idle(struct api_fixture *fixture, const char *what, size_t count, bool http2)
{
    SCOPED(watches) watches = {0};
    const size_t before = api_fixture_resident(fixture);
    const double begun = bench_clock();
    watches_open(&watches, fixture, count, http2, PER_CONNECTION);
    const double took = bench_clock() - begun;
    api_fixture_must(fiber_sleep(SECOND));
    bench_row(what, (double)(api_fixture_resident(fixture) - before) / (double)count / 1024, "KiB",
              "%zu connections, opened in %.1f s", http2 ? watches.client_count : count, took);
}

void api_bench_watches(struct api_fixture *fixture)
{
    /* A server of its own for each, so that none lives on memory the other has left. */
    api_fixture_start(fixture, NULL);
    measure_idle(fixture, "memory per idle watch, 10,000 over HTTP/2", IDLE_HTTP2, true);
    settle();
    api_fixture_stop(fixture);
    api_fixture_start(fixture, NULL);
    measure_idle(fixture, "memory per idle watch, 2,000 over HTTP/1.1", IDLE_HTTP1, false);
    settle();
    api_fixture_stop(fixture);
}

struct fan_out {
    struct watches watches;
    size_t next, heard; /* watchers that have heard of this round's change */
    struct event all_heard;
    double written;
    double *samples;
    size_t sample_count;
    double acknowledged[ROUNDS];
};

static struct error *listen(void *data)
{
    struct fan_out *fan_out = data;
    struct http_response *stream = fan_out->watches.streams[fan_out->next++];
    for (size_t i = 0; i < ROUNDS; i++) {
        struct str line;
        TRY(http_response_read_line(stream, &line));
        if (!line.ptr)
            return error_new(ERROR_CONNECTION, "the watch ended");
        fan_out->samples[fan_out->sample_count++] = bench_clock() - fan_out->written;
        if (++fan_out->heard == WATCHERS)
            event_wake_all(&fan_out->all_heard);
    }
    return NULL;
}

static struct error *write_round(struct fan_out *fan_out, struct http_client *client, size_t round)
{
    SCOPED(buf) body = {0};
    buf_print(&body, "{\"data\":{\"round\":\"%zu-%f\"}}", round, bench_clock());
    const struct api_fixture_request patch = {
        .method = STR("PATCH"),
        .target = STR("/api/v1/namespaces/default/configmaps/watched"),
        .type = STR("application/merge-patch+json"),
        .body = buf_str(&body),
    };
    FIBER_TIMEOUT(MINUTE);
    fan_out->heard = 0;
    fan_out->written = bench_clock();
    TRY(api_fixture_send(client, &patch, NULL));
    fan_out->acknowledged[round] = bench_clock() - fan_out->written;
    while (fan_out->heard < WATCHERS)
        TRY(event_wait(&fan_out->all_heard, "watchers"));
    return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double percentile(double *samples, size_t count, double part)
{
    qsort(samples, count, sizeof(double), compare_doubles);
    return 1000 * samples[(size_t)((double)(count - 1) * part)];
}

static void measure_fan_out(struct api_fixture *fixture, const char *what, bool http2,
                            size_t per_client)
{
    struct fan_out fan_out = {0};
    SCOPED(scope) scope = {0};
    OWNED(http_client) client = api_fixture_client(fixture, 1, false);
    fan_out.samples = mem_alloc_zero(sizeof(double) * WATCHERS * ROUNDS);
    watches_open(&fan_out.watches, fixture, WATCHERS, http2, per_client);
    for (size_t i = 0; i < WATCHERS; i++)
        scope_start(&scope, "listen", listen, &fan_out);
    const double cpu = api_fixture_cpu(fixture), own = bench_cpu();
    for (size_t i = 0; i < ROUNDS; i++)
        api_fixture_must(write_round(&fan_out, client, i));
    api_fixture_must(scope_wait(&scope));
    const double each = 1e6 / (double)fan_out.sample_count;
    const double server_cpu = (api_fixture_cpu(fixture) - cpu) * each,
                 client_cpu = (bench_cpu() - own) * each;
    bench_row(
        what, percentile(fan_out.samples, fan_out.sample_count, 0.99), "ms p99",
        "p50 %.1f ms, the writer's answer %.1f ms; CPU per event: server %.0f us, client %.0f us",
        percentile(fan_out.samples, fan_out.sample_count, 0.5),
        percentile(fan_out.acknowledged, ROUNDS, 0.5), server_cpu, client_cpu);
    watches_done(&fan_out.watches);
    mem_free(fan_out.samples);
    settle();
}

static void create_watched(struct api_fixture *fixture)
{
    OWNED(http_client) client = api_fixture_client(fixture, 1, false);
    SCOPED(buf) body = {0};
    api_fixture_write_config_map(&body, STR("watched"), WATCHED_BYTES, 0);
    const struct api_fixture_request create = {
        .method = STR("POST"),
        .target = STR("/api/v1/namespaces/default/configmaps"),
        .type = STR("application/json"),
        .body = buf_str(&body),
    };
    api_fixture_must(api_fixture_send(client, &create, NULL));
}

void api_bench_fan_out(struct api_fixture *fixture)
{
    api_fixture_start(fixture, NULL);
    create_watched(fixture);
    measure_fan_out(fixture, "a change to 1,000 watchers on 20 HTTP/2 connections", true, 50);
    measure_fan_out(fixture, "a change to 1,000 watchers on HTTP/1.1 of their own", false, 1);
    api_fixture_stop(fixture);
}
