/* Reads over TLS: one object, and lists of 500. */
#include <stdio.h>

#include "api_bench.h"
#include "bench.h"

#define OBJECTS      500
#define OBJECT_BYTES 1024
#define AT_ONCE      64
#define LISTS        8
#define SECONDS      4.0

static void make_create(void *data, size_t worker, size_t number,
                        struct api_fixture_request *request, struct buf *target, struct buf *body)
{
    char name[32];
    (void)data;
    (void)worker;
    snprintf(name, sizeof(name), "config-%05zu", number);
    request->method = STR("POST");
    request->type = STR("application/json");
    buf_add(target, STR("/api/v1/namespaces/bench/configmaps"));
    api_fixture_write_config_map(body, str_from_c(name), OBJECT_BYTES, number);
}

static void make_get(void *data, size_t worker, size_t number, struct api_fixture_request *request,
                     struct buf *target, struct buf *body)
{
    (void)data;
    (void)worker;
    (void)number;
    (void)body;
    request->method = STR("GET");
    buf_add(target, STR("/api/v1/namespaces/bench/configmaps/config-00001"));
}

static void make_list(void *data, size_t worker, size_t number, struct api_fixture_request *request,
                      struct buf *target, struct buf *body)
{
    (void)data;
    (void)worker;
    (void)number;
    (void)body;
    request->method = STR("GET");
    buf_add(target, STR("/api/v1/namespaces/bench/configmaps?limit=500"));
}

static void fill(struct http_client *client)
{
    const struct api_fixture_request namespace = {
        .method = STR("POST"),
        .target = STR("/api/v1/namespaces"),
        .type = STR("application/json"),
        .body =
            STR("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"bench\"}}"),
    };
    api_fixture_must(api_fixture_send(client, &namespace, NULL));
    struct api_load load = {.clients = &client,
                            .client_count = 1,
                            .workers = AT_ONCE,
                            .requests = OBJECTS,
                            .make = make_create};
    api_load_run(&load);
}

static void measure(const struct api_fixture *fixture, struct api_load *load, const char *what)
{
    load->seconds = 0;
    load->requests = load->workers;
    api_load_run(load); /* connects */
    load->requests = SIZE_MAX;
    load->seconds = SECONDS;
    const double cpu = api_fixture_cpu(fixture), own = bench_cpu();
    api_load_run(load);
    const double each = 1e6 / (double)(load->done ? load->done : 1);
    bench_row(what, api_load_rate(load), "/s", "server CPU %.0f us, client CPU %.0f us, %.0f MB/s",
              (api_fixture_cpu(fixture) - cpu) * each, (bench_cpu() - own) * each,
              (double)load->bytes / load->took / 1e6);
    if (load->failed)
        printf("  FAILED: %zu requests\n", load->failed);
}

void api_bench_reads(struct api_fixture *fixture)
{
    api_fixture_start(fixture, NULL);
    OWNED(http_client) http1 = api_fixture_client(fixture, AT_ONCE, false);
    OWNED(http_client) http2 = api_fixture_client(fixture, 1, true);
    fill(http1);
    struct api_load gets = {
        .clients = &http1, .client_count = 1, .workers = AT_ONCE, .make = make_get};
    measure(fixture, &gets, "GETs of 1 KB, 64 HTTP/1.1 connections");
    gets.clients = &http2;
    measure(fixture, &gets, "GETs of 1 KB, 64 at once on one HTTP/2 connection");
    struct api_load lists = {
        .clients = &http1, .client_count = 1, .workers = LISTS, .make = make_list};
    measure(fixture, &lists, "lists of 500 objects of 1 KB, 8 HTTP/1.1 connections");
    api_fixture_stop(fixture);
}
