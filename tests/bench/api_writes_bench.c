/*
 * Durable writes per second, beside etcd on the same disk. Both are spoken to over TLS, a
 * connection for each writer; etcd by gRPC, which is what an API server of Kubernetes uses, and by
 * its JSON gateway. etcd stores the bytes; ours also authorizes, validates and keeps managed
 * fields.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api_bench.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/base64.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "bench.h"
#include "net/pki.h"
#include "net/tls.h"

#define VALUE_BYTES 1024
#define WRITERS_MAX 64
#define SECONDS     2.0
#define ROUNDS      5

/* What one sync of the disk takes, to judge the rest by. */
static double measure_syncs(const char *folder)
{
    char block[4096] = "bench";
    SCOPED(buf) path = {0};
    size_t count = 0;
    buf_print(&path, "%s/syncs", folder);
    const int fd = open(buf_c(&path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const double begun = bench_clock();
    while (fd >= 0 && bench_clock() - begun < 2.0) {
        if (write(fd, block, sizeof(block)) != sizeof(block) || fdatasync(fd) != 0)
            break;
        count++;
    }
    if (fd >= 0)
        close(fd);
    unlink(buf_c(&path));
    return (double)count / (bench_clock() - begun);
}

static void make_put(void *data, size_t worker, size_t number, struct api_fixture_request *request,
                     struct buf *target, struct buf *body)
{
    char name[32];
    (void)data;
    snprintf(name, sizeof(name), "writer-%zu", worker);
    request->method = STR("PUT");
    request->type = STR("application/json");
    buf_print(target, "/api/v1/namespaces/default/configmaps/%s", name);
    api_fixture_write_config_map(body, str_from_c(name), VALUE_BYTES, number);
}

static void make_create(void *data, size_t worker, size_t number,
                        struct api_fixture_request *request, struct buf *target, struct buf *body)
{
    make_put(data, number, number, request, target, body);
    request->method = STR("POST");
    buf_clear(target);
    buf_add(target, STR("/api/v1/namespaces/default/configmaps"));
    (void)worker;
}

static void make_grpc(void *data, size_t worker, size_t number, struct api_fixture_request *request,
                      struct buf *target, struct buf *body)
{
    char key[32];
    SCOPED(buf) value = {0};
    (void)data;
    const size_t key_len = (size_t)snprintf(key, sizeof(key), "/bench/writer-%02zu", worker);
    api_fixture_write_config_map(&value, str_from_c(key), VALUE_BYTES, number);
    request->method = STR("POST");
    request->type = STR("application/grpc");
    buf_add(target, STR("/etcdserverpb.KV/Put"));
    /* PutRequest: field 1 the key, field 2 the value with a length of two bytes. */
    const size_t len = 2 + key_len + 3 + value.len;
    const char prefix[] = {0, 0, 0, (char)(len >> 8), (char)len, 0x0a, (char)key_len};
    const char between[] = {0x12, (char)(0x80 | (value.len & 0x7f)), (char)(value.len >> 7)};
    buf_add(body, str_from(prefix, sizeof(prefix)));
    buf_add(body, str_from(key, key_len));
    buf_add(body, str_from(between, sizeof(between)));
    buf_add(body, buf_str(&value));
}

static void make_json(void *data, size_t worker, size_t number, struct api_fixture_request *request,
                      struct buf *target, struct buf *body)
{
    char key[32];
    SCOPED(buf) value = {0};
    (void)data;
    snprintf(key, sizeof(key), "/bench/writer-%02zu", worker);
    api_fixture_write_config_map(&value, str_from_c(key), VALUE_BYTES, number);
    request->method = STR("POST");
    request->type = STR("application/json");
    buf_add(target, STR("/v3/kv/put"));
    buf_add(body, STR("{\"key\":\""));
    base64_encode(body, str_from_c(key));
    buf_add(body, STR("\",\"value\":\""));
    base64_encode(body, buf_str(&value));
    buf_add(body, STR("\"}"));
}

static void write_pem(const char *folder, const char *name, struct buf *pem)
{
    SCOPED(buf) path = {0};
    buf_print(&path, "%s/%s", folder, name);
    FILE *file = fopen(buf_c(&path), "we");
    if (!file || fwrite(pem->ptr, 1, pem->len, file) != pem->len)
        perror(buf_c(&path));
    if (file)
        fclose(file);
}

/* Makes an authority and a certificate; the fixture trusts it. */
static void make_certificates(struct api_fixture *etcd)
{
    const int64_t now = timestamp_now();
    const struct str name = STR("127.0.0.1");
    OWNED(pki_authority) authority = NULL;
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    api_fixture_must(pki_authority_new(STR("bench"), now - HOUR, now + 24 * HOUR, &authority));
    api_fixture_must(pki_authority_write(authority, &certificate, &key));
    api_fixture_must(tls_trust_read(buf_str(&certificate), &etcd->config.tls.trust));
    const struct pki_request request = {.common_name = name,
                                        .names = &name,
                                        .name_count = 1,
                                        .server = true,
                                        .client = true,
                                        .not_before = now - HOUR,
                                        .not_after = now + 24 * HOUR};
    buf_clear(&certificate);
    buf_clear(&key);
    api_fixture_must(pki_issue(authority, &request, &certificate, &key));
    write_pem(etcd->folder, "etcd.crt", &certificate);
    write_pem(etcd->folder, "etcd.key", &key);
}

static bool wait_etcd(struct api_fixture *etcd)
{
    OWNED(http_client) client = api_fixture_client(etcd, 1, false);
    const struct api_fixture_request request = {.target = STR("/health")};
    for (int i = 0; i < 100; i++) {
        OWNED(error) err = api_fixture_send(client, &request, NULL);
        if (!err)
            return true;
        api_fixture_must(fiber_sleep(100 * MILLISECOND));
    }
    return false;
}

static const char *find_etcd(char path[static API_FIXTURE_PATH])
{
    if (access(api_fixture_path(path, "etcd/usr/bin/etcd"), X_OK) == 0)
        return path;
    return access("/usr/bin/etcd", X_OK) == 0 ? "/usr/bin/etcd" : NULL;
}

static bool start_etcd(struct api_fixture *etcd, const struct api_fixture *fixture)
{
    char program[API_FIXTURE_PATH];
    SCOPED(buf) log = {0};
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {0};
    SCOPED(buf) url = {0};
    SCOPED(buf) peer = {0};
    SCOPED(buf) cluster = {0};
    const char *found = find_etcd(program);
    if (!found)
        return false;
    api_fixture_make_folder(etcd->folder, "bench-etcd");
    etcd->network = fixture->network;
    etcd->tls = fixture->tls;
    etcd->config.server.host = STR("127.0.0.1");
    etcd->config.server.port = 32379;
    make_certificates(etcd);
    buf_print(&log, "%s.log", etcd->folder);
    buf_print(&certificate, "%s/etcd.crt", etcd->folder);
    buf_print(&key, "%s/etcd.key", etcd->folder);
    buf_print(&url, "https://127.0.0.1:%u", (unsigned)etcd->config.server.port);
    buf_print(&peer, "http://127.0.0.1:%u", (unsigned)etcd->config.server.port + 1);
    buf_print(&cluster, "default=%s", buf_c(&peer));
    const char *const argv[] = {found,
                                "--data-dir",
                                etcd->folder,
                                "--listen-client-urls",
                                buf_c(&url),
                                "--advertise-client-urls",
                                buf_c(&url),
                                "--listen-peer-urls",
                                buf_c(&peer),
                                "--initial-advertise-peer-urls",
                                buf_c(&peer),
                                "--initial-cluster",
                                buf_c(&cluster),
                                "--cert-file",
                                buf_c(&certificate),
                                "--key-file",
                                buf_c(&key),
                                NULL};
    etcd->pid = api_fixture_spawn(buf_c(&log), argv);
    return wait_etcd(etcd);
}

typedef void make_fn(void *data, size_t worker, size_t number, struct api_fixture_request *request,
                     struct buf *target, struct buf *body);

/* One thing that is measured, several times in turn with the others. */
struct contest {
    const char *what;
    size_t writers;
    bool http2;
    make_fn *make;
    bool is_etcd;
    double rates[ROUNDS];
    double cpu; /* of the server, us each, in the last round */
};

/* Each writer has a connection of its own. */
static void measure_round(const struct api_fixture *fixture, struct contest *contest, size_t round)
{
    struct http_client *clients[WRITERS_MAX];
    for (size_t i = 0; i < contest->writers; i++)
        clients[i] = api_fixture_client(fixture, 1, contest->http2);
    struct api_load load = {.clients = clients,
                            .client_count = contest->writers,
                            .workers = contest->writers,
                            .requests = contest->writers,
                            .make = contest->make};
    api_load_run(&load); /* connects */
    load.requests = SIZE_MAX;
    load.seconds = SECONDS;
    const double cpu = api_fixture_cpu(fixture);
    api_load_run(&load);
    contest->rates[round] = api_load_rate(&load);
    contest->cpu = 1e6 * (api_fixture_cpu(fixture) - cpu) / (double)(load.done ? load.done : 1);
    if (load.failed)
        printf("  FAILED: %zu writes\n", load.failed);
    for (size_t i = 0; i < contest->writers; i++)
        http_client_free(clients[i]);
}

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void report(struct contest *contest, const struct contest *ours)
{
    char remark[64] = "";
    qsort(contest->rates, ROUNDS, sizeof(double), compare_doubles);
    const double median = contest->rates[ROUNDS / 2];
    if (ours != contest)
        snprintf(remark, sizeof(remark), "; ours is %.2f times that",
                 ours->rates[ROUNDS / 2] / median);
    bench_row(contest->what, median, "/s", "%.0f to %.0f, server CPU %.0f us%s", contest->rates[0],
              contest->rates[ROUNDS - 1], contest->cpu, remark);
}

static void create_objects(const struct api_fixture *fixture)
{
    OWNED(http_client) client = api_fixture_client(fixture, WRITERS_MAX, false);
    struct api_load create = {.clients = &client,
                              .client_count = 1,
                              .workers = WRITERS_MAX,
                              .requests = WRITERS_MAX,
                              .make = make_create};
    api_load_run(&create);
}

void api_bench_writes(struct api_fixture *fixture)
{
    struct contest contests[] = {
        {"durable PUTs of a 1 KB ConfigMap, 1 writer",    1,           false, make_put,  false, {0}, 0},
        {"etcd by gRPC over TLS, 1 writer",               1,           true,  make_grpc, true,  {0}, 0},
        {"durable PUTs of a 1 KB ConfigMap, 64 writers",
         WRITERS_MAX,                                                  false,
         make_put,                                                                       false,
         {0},
         0                                                                                            },
        {"etcd by gRPC over TLS, 64 writers",             WRITERS_MAX, true,  make_grpc, true,  {0}, 0},
        {"etcd by its JSON gateway over TLS, 64 writers",
         WRITERS_MAX,                                                  false,
         make_json,                                                                      true,
         {0},
         0                                                                                            },
    };
    struct api_fixture etcd = {0};
    api_fixture_start(fixture, NULL);
    create_objects(fixture);
    bench_row("syncs of this disk, one after the other", measure_syncs(fixture->folder), "/s",
              "4 KiB and fdatasync()");
    const bool has_etcd = start_etcd(&etcd, fixture);
    if (!has_etcd)
        printf("  etcd is not here; tests/bench/get-etcd fetches it\n");
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < COUNT(contests); i++)
            if (has_etcd || !contests[i].is_etcd)
                measure_round(contests[i].is_etcd ? &etcd : fixture, &contests[i], round);
    for (size_t i = 0; i < COUNT(contests); i++)
        if (has_etcd || !contests[i].is_etcd)
            report(&contests[i], &contests[contests[i].writers == 1 ? 0 : 2]);
    if (etcd.pid)
        api_fixture_kill(etcd.pid, SIGKILL);
    if (etcd.folder[0])
        api_fixture_remove_folder(etcd.folder);
    rest_config_done(&etcd.config);
    api_fixture_stop(fixture);
}
