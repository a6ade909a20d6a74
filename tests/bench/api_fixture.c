#include "api_fixture.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "bench.h"
#include "net/tls.h"

#define ARGUMENTS_MAX 16
#define READY_TIMEOUT 120.0

void api_fixture_must(struct error *err)
{
    if (!err)
        return;
    fprintf(stderr, "bench: %s\n", err->message);
    abort();
}

static void must_be(bool is_so, const char *what)
{
    if (is_so)
        return;
    perror(what);
    abort();
}

const char *api_fixture_path(char path[static API_FIXTURE_PATH], const char *name)
{
    const ssize_t len = readlink("/proc/self/exe", path, API_FIXTURE_PATH - 1);
    must_be(len > 0, "/proc/self/exe");
    path[len] = '\0';
    const struct str whole = str_from_c(path);
    const size_t slash = str_find_last_char(whole, '/');
    must_be(slash != STR_NONE && slash + strlen(name) + 2 < API_FIXTURE_PATH, "long path");
    memcpy(path + slash + 1, name, strlen(name) + 1);
    return path;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)type;
    (void)where;
    return remove(path);
}

void api_fixture_remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); /* NOLINT(concurrency-mt-unsafe) */
}

void api_fixture_make_folder(char path[static API_FIXTURE_PATH], const char *name)
{
    api_fixture_path(path, name);
    api_fixture_remove_folder(path);
    must_be(mkdir(path, 0700) == 0, path);
}

pid_t api_fixture_spawn(const char *log, const char *const argv[])
{
    fflush(NULL);
    const pid_t child = fork();
    must_be(child >= 0, "fork");
    if (child > 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) {
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
    }
    execv(argv[0], (char *const *)argv);
    perror(argv[0]);
    _exit(127);
}

void api_fixture_kill(pid_t pid, int signal)
{
    kill(pid, signal);
    waitpid(pid, NULL, 0);
}

static bool file_contains(const char *path, const char *needle)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const size_t len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    return str_contains(str_from(text, len), str_from_c(needle));
}

static void wait_ready(struct api_fixture *fixture, const char *log, double begun)
{
    while (!file_contains(log, "ready on")) {
        if (bench_clock() - begun > READY_TIMEOUT || waitpid(fixture->pid, NULL, WNOHANG) != 0) {
            fprintf(stderr, "bench: the API server did not start; see %s\n", log);
            abort();
        }
        usleep(500);
    }
    fixture->ready = bench_clock() - begun;
}

void api_fixture_start(struct api_fixture *fixture, const char *const *more)
{
    char program[API_FIXTURE_PATH];
    SCOPED(buf) log = {0};
    SCOPED(buf) kubeconfig = {0};
    buf_print(&log, "%s.log", fixture->folder);
    buf_print(&kubeconfig, "%s/kubeconfig", fixture->folder);
    const char *argv[ARGUMENTS_MAX] = {api_fixture_path(program, "corset"),
                                       "apiserver",
                                       "--data-dir",
                                       fixture->folder,
                                       "--listen",
                                       "127.0.0.1:0"};
    for (size_t i = 6; more && *more && i < ARGUMENTS_MAX - 1; i++)
        argv[i] = *more++;
    unlink(buf_c(&log));
    const double begun = bench_clock();
    fixture->pid = api_fixture_spawn(buf_c(&log), argv);
    wait_ready(fixture, buf_c(&log), begun);
    rest_config_done(&fixture->config);
    fixture->config = (struct rest_config){0};
    api_fixture_must(kubeconfig_load(&(struct kubeconfig_paths){.file = buf_str(&kubeconfig)}, NULL,
                                     &fixture->config));
}

void api_fixture_stop(struct api_fixture *fixture)
{
    api_fixture_kill(fixture->pid, SIGTERM);
}

size_t api_fixture_resident(const struct api_fixture *fixture)
{
    char path[64];
    unsigned long size, resident = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)fixture->pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lu %lu", &size, &resident) != 2) /* NOLINT(cert-err34-c) */
        resident = 0;
    if (file)
        fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

double api_fixture_cpu(const struct api_fixture *fixture)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)fixture->pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const size_t len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[len] = '\0';
    const char *rest = strrchr(text, ')'); /* behind the program's name */
    if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", /* NOLINT */
                        &user, &system) != 2)
        return 0;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

struct http_client *api_fixture_client(const struct api_fixture *fixture, size_t connections,
                                       bool http2)
{
    const struct http_client_options options = {
        .endpoint = {.network = fixture->network,
                     .host = fixture->config.server.host,
                     .port = fixture->config.server.port,
                     .tls = fixture->tls,
                     .identity = fixture->config.tls.identity,
                     .trust = fixture->config.tls.trust,
                     .no_http2 = !http2},
        .connections = connections,
        .idle_connections = connections,
        .no_gzip = true,
        .timeouts = {.idle = HOUR,         .ping = HOUR},
    };
    return http_client_new(loop_current(), &options);
}

static struct error *add_headers(struct http_headers *headers,
                                 const struct api_fixture_request *request)
{
    SCOPED(buf) bearer = {.secret = true};
    TRY(http_headers_add(headers, STR("user-agent"), STR("bench")));
    if (request->type.len)
        TRY(http_headers_add(headers, STR("content-type"), request->type));
    if (str_eq(request->type, STR("application/grpc")))
        return http_headers_add(headers, STR("te"), STR("trailers"));
    TRY(http_headers_add(headers, STR("accept"), STR("application/json")));
    if (!request->token.len)
        return NULL;
    buf_print(&bearer, "Bearer %.*s", STR_ARG(request->token));
    return http_headers_add(headers, STR("authorization"), buf_str(&bearer));
}

struct error *api_fixture_send(struct http_client *client,
                               const struct api_fixture_request *request, struct buf *answer)
{
    OWNED(http_response) response = NULL;
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {0};
    if (!answer)
        answer = &body;
    FIBER_TIMEOUT(MINUTE);
    TRY(add_headers(&headers, request));
    const struct http_client_request sent = {.method = request->method,
                                             .target = request->target,
                                             .headers = &headers,
                                             .body = request->body};
    TRY(http_client_send(client, &sent, &response));
    TRY(http_response_read_all(response, answer));
    const int status = http_response_status(response);
    if (status / 100 != 2)
        return error_new(ERROR_INTERNAL, "%.*s %.*s: %d %.*s", STR_ARG(request->method),
                         STR_ARG(request->target), status, STR_ARG(buf_str(answer)));
    return NULL;
}

static struct error *work(void *data)
{
    struct api_load *load = data;
    const size_t worker = load->joined++;
    SCOPED(buf) target = {0};
    SCOPED(buf) body = {0};
    SCOPED(buf) answer = {0};
    while (load->next < load->requests && bench_clock() < load->end) {
        struct api_fixture_request request = {0};
        buf_clear(&target);
        buf_clear(&body);
        buf_clear(&answer);
        load->make(load->data, worker, load->next++, &request, &target, &body);
        request.target = buf_str(&target);
        request.body = buf_str(&body);
        OWNED(error)
        err = api_fixture_send(load->clients[worker % load->client_count], &request, &answer);
        if (err && load->failed++ == 0)
            fprintf(stderr, "bench: %s\n", err->message);
        load->done += !err;
        load->bytes += answer.len;
    }
    return NULL;
}

void api_load_run(struct api_load *load)
{
    SCOPED(scope) scope = {0};
    const double begun = bench_clock();
    load->end = load->seconds > 0 ? begun + load->seconds : begun + 3600;
    load->done = load->failed = load->bytes = load->next = load->joined = 0;
    for (size_t i = 0; i < load->workers; i++)
        scope_start(&scope, "load", work, load);
    api_fixture_must(scope_wait(&scope));
    load->took = bench_clock() - begun;
}

double api_load_rate(const struct api_load *load)
{
    return load->took > 0 ? (double)load->done / load->took : 0;
}

void api_fixture_write_config_map(struct buf *out, struct str name, size_t bytes, size_t stamp)
{
    const size_t begin = out->len;
    buf_print(out,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%.*s\","
              "\"labels\":{\"app\":\"bench\"}},\"data\":{\"stamp\":\"%zu\"",
              STR_ARG(name), stamp);
    for (int i = 0; out->len - begin + 60 < bytes; i++)
        buf_print(out, ",\"key-%02d\":\"a value of some length that repeats\"", i);
    buf_add(out, STR("}}"));
}
