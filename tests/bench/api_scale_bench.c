/* Size: the start with many objects, and many virtual clusters. */
#include <stdio.h>

#include "api_bench.h"
#include "base/memory.h"
#include "bench.h"

#define OBJECTS         100000
#define OBJECT_BYTES    1536
#define AT_ONCE         256
#define CLUSTERS        10000
#define CLUSTERS_TEXT   "10000"
#define CLUSTER_OBJECTS 20
#define CLUSTER_BYTES   500
#define CLUSTER_TOKENS  512

static void make_object(void *data, size_t worker, size_t number,
                        struct api_fixture_request *request, struct buf *target, struct buf *body)
{
    char name[32];
    (void)data;
    (void)worker;
    snprintf(name, sizeof(name), "config-%06zu", number);
    request->method = STR("POST");
    request->type = STR("application/json");
    buf_add(target, STR("/api/v1/namespaces/default/configmaps"));
    api_fixture_write_config_map(body, str_from_c(name), OBJECT_BYTES, number);
}

static void fill(struct api_fixture *fixture)
{
    OWNED(http_client) client = api_fixture_client(fixture, AT_ONCE, false);
    struct api_load load = {.clients = &client,
                            .client_count = 1,
                            .workers = AT_ONCE,
                            .requests = OBJECTS,
                            .make = make_object};
    const double cpu = api_fixture_cpu(fixture);
    api_load_run(&load);
    bench_row("durable creates of 1.5 KB, 256 writers", api_load_rate(&load), "/s",
              "%.0f us of server CPU each, %zu failed",
              1e6 * (api_fixture_cpu(fixture) - cpu) / OBJECTS, load.failed);
}

void api_bench_start(struct api_fixture *fixture)
{
    api_fixture_start(fixture, NULL);
    bench_row("start with an empty folder, certificates made", fixture->ready, "s", "-");
    const size_t empty = api_fixture_resident(fixture);
    fill(fixture);
    api_fixture_stop(fixture);
    for (int i = 0; i < 2; i++) {
        const double begun = bench_clock();
        api_fixture_start(fixture, NULL);
        OWNED(http_client) client = api_fixture_client(fixture, 1, false);
        const struct api_fixture_request get = {
            .target = STR("/api/v1/namespaces/default/configmaps/config-099999")};
        api_fixture_must(api_fixture_send(client, &get, NULL));
        bench_row("start with 100,000 objects, to the first answer", bench_clock() - begun, "s",
                  "goal 2; %.2f s of CPU, %.0f MB more memory than empty", api_fixture_cpu(fixture),
                  (double)(api_fixture_resident(fixture) - empty) / 1e6);
        api_fixture_stop(fixture);
    }
}

struct clusters {
    char (*tokens)[CLUSTER_TOKENS];
    size_t first; /* cluster of request number 0 */
};

static struct str token_of(const struct clusters *clusters, size_t cluster)
{
    return str_from_c(clusters->tokens[cluster]);
}

static void load_tokens(const struct api_fixture *fixture, struct clusters *clusters)
{
    clusters->tokens = mem_alloc_zero(CLUSTERS * sizeof(*clusters->tokens));
    for (size_t i = 0; i < CLUSTERS; i++) {
        SCOPED(buf) path = {0};
        SCOPED(rest_config) config = {0};
        buf_print(&path, "%s/clusters/vc-%04zu.kubeconfig", fixture->folder, i + 1);
        api_fixture_must(
            kubeconfig_load(&(struct kubeconfig_paths){.file = buf_str(&path)}, NULL, &config));
        if (config.auth.token.len >= CLUSTER_TOKENS)
            api_fixture_must(
                error_new(ERROR_TOO_LARGE, "a token of %zu bytes", config.auth.token.len));
        memcpy(clusters->tokens[i], config.auth.token.ptr, config.auth.token.len);
    }
}

static void make_touch(void *data, size_t worker, size_t number,
                       struct api_fixture_request *request, struct buf *target, struct buf *body)
{
    const struct clusters *clusters = data;
    const size_t cluster = clusters->first + number;
    (void)worker;
    (void)body;
    request->method = STR("GET");
    request->token = token_of(clusters, cluster);
    buf_print(target, "/clusters/vc-%04zu/api/v1/namespaces/default", cluster + 1);
}

static void make_cluster_object(void *data, size_t worker, size_t number,
                                struct api_fixture_request *request, struct buf *target,
                                struct buf *body)
{
    char name[32];
    const size_t cluster = number % CLUSTERS;
    (void)worker;
    snprintf(name, sizeof(name), "config-%02zu", number / CLUSTERS);
    request->method = STR("POST");
    request->type = STR("application/json");
    request->token = token_of(data, cluster);
    buf_print(target, "/clusters/vc-%04zu/api/v1/namespaces/default/configmaps", cluster + 1);
    api_fixture_write_config_map(body, str_from_c(name), CLUSTER_BYTES, number);
}

void api_bench_clusters(struct api_fixture *fixture)
{
    const char *const more[] = {"--virtual-clusters", CLUSTERS_TEXT, NULL};
    struct clusters clusters = {0};
    api_fixture_start(fixture, more);
    bench_row("start with 10,000 virtual clusters", fixture->ready, "s",
              "a kubeconfig written for each");
    load_tokens(fixture, &clusters);
    OWNED(http_client) client = api_fixture_client(fixture, 64, false);
    struct api_load load = {.clients = &client,
                            .client_count = 1,
                            .workers = 64,
                            .requests = 64,
                            .make = make_touch,
                            .data = &clusters};
    api_load_run(&load); /* connects */
    const size_t before = api_fixture_resident(fixture);
    clusters.first = load.requests;
    load.requests = CLUSTERS - clusters.first;
    api_load_run(&load);
    const size_t touched = api_fixture_resident(fixture);
    bench_row("memory per virtual cluster, read once, empty",
              (double)(touched - before) / 1024 / (double)load.requests, "KiB",
              "goal 8; %.0f us each, %zu failed", 1e6 * load.took / CLUSTERS, load.failed);
    load.make = make_cluster_object;
    load.requests = (size_t)CLUSTERS * CLUSTER_OBJECTS;
    api_load_run(&load);
    bench_row("memory per virtual cluster with 20 objects",
              (double)(api_fixture_resident(fixture) - before) / 1024 / CLUSTERS, "KiB",
              "objects sent as 500 bytes; %.0f creates/s, %zu failed", api_load_rate(&load),
              load.failed);
    mem_free(clusters.tokens);
    api_fixture_stop(fixture);
}
