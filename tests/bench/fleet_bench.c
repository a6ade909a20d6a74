/*
 * The fleet API over many clusters: a process with the clusters' servers, one with the API, which
 * is the one that is measured, and one that asks.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_fixture.h"
#include "app/controller_manager_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "bench.h"
#include "beside.h"
#include "client/kubeconfig/kubeconfig.h"
#include "cluster_servers.h"
#include "clustercache/clustercache_static.h"
#include "fleet/fleet.h"
#include "http/client.h"
#include "http/server.h"
#include "net/network.h"
#include "net/pki.h"
#include "net/tcp.h"
#include "net/tls.h"

#define HOST    STR("127.0.0.1")
#define LATENCY (20 * MILLISECOND)
#define FEW     100
#define SOME    1000
#define MANY    10000
#define BESIDE  300 /* clusters that a caller asks without pause */
#define ROUNDS  5
#define GETS    2000
#define ALL     FLEET_PREFIX "/fleet/api/v1/"
#define ONE     FLEET_PREFIX "/namespaces/default/clusters/c00000/proxy/"

static void must(struct error *err)
{
    api_fixture_must(err);
}

/* The process that is measured. */

struct endpoint {
    struct cluster_servers *servers;
    struct network *network;
    struct tls_context *tls;
    struct clustercache *clusters;
    struct fleet *fleet;
    struct tls_server *server_tls;
    struct http_server *server;
    size_t requests; /* that came */
    int ready;
};

static void drop_line(void *data, struct str line)
{
    (void)data;
    (void)line;
}

static void add_cluster(struct endpoint *endpoint, size_t index)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(rest_config) config = {0};
    char name[32];
    snprintf(name, sizeof(name), "c%05zu", index);
    cluster_servers_kubeconfig(endpoint->servers, index, &text);
    must(kubeconfig_read(buf_str(&text), STR(""), NULL, &config));
    clustercache_static_add(endpoint->clusters, (struct key){STR("default"), str_from_c(name)},
                            &config);
}

/* What the kernel has counted as the most since the last reset, in bytes. */
static size_t peak_resident(void)
{
    char line[256];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtoul(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

static void reset_peak(void)
{
    const int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "5", 1) != 1)
        abort();
    close(fd);
}

/* "/peak" and "/reset" are for the one who measures; everything else is the API. */
static struct error *handle_request(void *data, struct http_request *http)
{
    struct endpoint *endpoint = data;
    const struct str target = http_request_target(http);
    char text[32];
    const bool resets = str_eq(target, STR("/reset"));
    if (resets || str_eq(target, STR("/peak"))) {
        if (resets) {
            bench_trim();
            reset_peak();
        }
        snprintf(text, sizeof(text), "%zu", peak_resident());
        return http_request_answer(http, 200, STR("text/plain"), str_from_c(text));
    }
    const struct str group = STR("system:masters");
    const struct fleet_request request = {
        .http = http,
        .arena = http_request_arena(http),
        .target = target,
        .user = {.user = STR("bench"), .groups = &group, .group_count = 1}
    };
    endpoint->requests++;
    return fleet_serve(endpoint->fleet, &request);
}

static struct tls_server *make_tls(void)
{
    OWNED(pki_authority) authority = NULL;
    OWNED(tls_identity) identity = NULL;
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    struct tls_server *tls;
    const struct str name = HOST;
    const int64_t now = loop_wall(loop_current());
    const struct pki_request request = {.common_name = STR("bench"),
                                        .names = &name,
                                        .name_count = 1,
                                        .server = true,
                                        .not_before = now - HOUR,
                                        .not_after = now + HOUR};
    must(pki_authority_new(STR("bench-ca"), now - HOUR, now + HOUR, &authority));
    must(pki_issue(authority, &request, &certificate, &key));
    must(tls_identity_read(buf_str(&certificate), buf_str(&key), &identity));
    must(tls_server_new(&(struct tls_server_options){.identity = identity}, &tls));
    return tls;
}

/* Over the clusters and the network that are there already. */
static void open_endpoint(struct endpoint *endpoint)
{
    endpoint->fleet =
        fleet_new(loop_current(), &(struct fleet_options){.clusters = endpoint->clusters});
    endpoint->server_tls = make_tls();
    const struct http_server_options options = {.network = endpoint->network,
                                                .host = HOST,
                                                .tls = endpoint->server_tls,
                                                .handler = handle_request,
                                                .data = endpoint};
    must(http_server_new(loop_current(), &options, &endpoint->server));
}

static struct error *run_endpoint(void *data)
{
    struct endpoint *endpoint = data;
    endpoint->network = tcp_network_new(loop_current());
    endpoint->tls = tls_context_new();
    endpoint->clusters = clustercache_static_new(
        loop_current(), &(struct clustercache_options){.network = endpoint->network,
                                                       .tls = endpoint->tls,
                                                       .user_agent = STR("bench"),
                                                       .qps = 1e6,
                                                       .burst = 1e6});
    for (size_t i = 0; i < endpoint->servers->count; i++)
        add_cluster(endpoint, i);
    open_endpoint(endpoint);
    const uint16_t port = http_server_port(endpoint->server);
    if (write(endpoint->ready, &port, sizeof(port)) != sizeof(port))
        abort();
    return fiber_sleep(HOUR);
}

static pid_t start_endpoint(struct cluster_servers *servers, uint16_t *ret_port)
{
    int pipe_fds[2];
    if (pipe(pipe_fds) != 0)
        abort();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        log_set_sink(drop_line, NULL);
        struct endpoint endpoint = {.servers = servers, .ready = pipe_fds[1]};
        must(loop_run(loop_new(), run_endpoint, &endpoint));
        _exit(0);
    }
    close(pipe_fds[1]);
    if (read(pipe_fds[0], ret_port, sizeof(*ret_port)) != sizeof(*ret_port))
        abort();
    close(pipe_fds[0]);
    return child;
}

/* The process that asks. */

struct caller {
    struct cluster_servers *servers;
    uint16_t port;
    void (*measure)(struct caller *caller);
    struct network *network;
    struct tls_context *tls;
    struct http_client *client, *direct; /* to the endpoint; to the first cluster */
};

struct asked {
    double first, all; /* seconds until the first item, and until the end */
    size_t items, bytes;
};

static size_t count_text(struct str text, struct str wanted)
{
    size_t count = 0;
    for (size_t at = str_find(text, wanted); at != STR_NONE; at = str_find(text, wanted)) {
        text = str_skip(text, at + wanted.len);
        count++;
    }
    return count;
}

/* Items are counted by their annotation; one that two pieces share is counted behind the last. */
static struct asked ask(struct caller *caller, const char *target)
{
    const struct str mark = STR("fleet.corset.dev/cluster\"");
    struct asked asked = {0};
    SCOPED(buf) tail = {.limit = 0};
    OWNED(http_response) response = NULL;
    const struct http_client_request request = {.target = str_from_c(target)};
    const double begun = bench_clock();
    must(http_client_send(caller->client, &request, &response));
    for (;;) {
        struct str piece;
        must(http_response_read_piece(response, &piece));
        if (!piece.len)
            break;
        buf_add(&tail, piece);
        const size_t found = count_text(buf_str(&tail), mark);
        if (found && !asked.items)
            asked.first = bench_clock() - begun;
        asked.items += found;
        asked.bytes += piece.len;
        const size_t kept = tail.len < mark.len ? tail.len : mark.len - 1;
        SCOPED(buf) end = {.limit = 0};
        buf_add(&end, str_skip(buf_str(&tail), tail.len - kept));
        buf_clear(&tail);
        buf_add(&tail, buf_str(&end));
    }
    asked.all = bench_clock() - begun;
    return asked;
}

static double ask_number(struct caller *caller, const char *target)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(http_response) response = NULL;
    const struct http_client_request request = {.target = str_from_c(target)};
    must(http_client_send(caller->client, &request, &response));
    must(http_response_read_all(response, &body));
    return strtod(buf_c(&body), NULL);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof(*numbers), compare_numbers);
    return numbers[count / 2];
}

/* The median of several rounds, after one that makes the connections. */
static struct asked ask_rounds(struct caller *caller, const char *target, double *ret_memory)
{
    double first[ROUNDS], all[ROUNDS];
    struct asked asked = ask(caller, target);
    const double idle = ask_number(caller, "/reset");
    for (size_t i = 0; i < ROUNDS; i++) {
        asked = ask(caller, target);
        first[i] = asked.first;
        all[i] = asked.all;
    }
    *ret_memory = ask_number(caller, "/peak") - idle;
    asked.first = median(first, ROUNDS);
    asked.all = median(all, ROUNDS);
    return asked;
}

static void print_asked(const char *what, const struct asked *asked, double memory,
                        const char *goal)
{
    bench_row(what, asked->all, "s",
              "first item %.0f ms, %zu items, %.1f MB, %.1f MiB over idle; goal %s",
              asked->first * 1e3, asked->items, (double)asked->bytes / 1e6,
              memory / (double)MEGABYTE, goal);
}

static void measure_nodes(struct caller *caller)
{
    double memory;
    const struct asked asked = ask_rounds(caller, ALL "nodes", &memory);
    print_asked("Nodes of 1,000 clusters at 20 ms", &asked, memory, "60 ms, 0.6 s");
    bench_row("the same, one cluster after the other", 0.02 * SOME, "s", "20 ms each, computed");
}

static void measure_many(struct caller *caller)
{
    double memory;
    const struct asked asked = ask_rounds(caller, ALL "nodes", &memory);
    print_asked("Nodes of 10,000 clusters at 20 ms", &asked, memory, "5 s, 64 MiB");
}

static void measure_pods(struct caller *caller)
{
    double memory;
    const struct asked asked = ask_rounds(caller, ALL "pods", &memory);
    print_asked("1,000 Pods of each of 100 clusters", &asked, memory, "2 s, 64 MiB");
}

static void measure_silent(struct caller *caller)
{
    const struct asked well = ask(caller, ALL "nodes"), warm = ask(caller, ALL "nodes");
    const struct asked sick = ask(caller, ALL "persistentvolumes");
    (void)well;
    bench_row("a tenth of 1,000 clusters is silent", sick.all, "s",
              "goal: the deadline, 5 s; %zu items of healthy ones, and %zu without silence",
              sick.items, warm.items);
}

static double time_get(struct http_client *client, const char *target)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(http_response) response = NULL;
    const struct http_client_request request = {.target = str_from_c(target)};
    const double begun = bench_clock();
    must(http_client_send(client, &request, &response));
    must(http_response_read_all(response, &body));
    return bench_clock() - begun;
}

/* In turns, so that both see the same machine. */
static void measure_overhead(struct caller *caller)
{
    static double direct[GETS], proxied[GETS];
    for (size_t i = 0; i < GETS; i++) {
        direct[i] = time_get(caller->direct, "/version");
        proxied[i] = time_get(caller->client, ONE "version");
    }
    const double without = median(direct, GETS), with = median(proxied, GETS);
    bench_row("a proxied GET over a direct one, p50", (with - without) * 1e3, "ms",
              "%.3f and %.3f ms; goal 0.3 ms", with * 1e3, without * 1e3);
}

/* To the endpoint. */
static struct http_client_options open_client(struct caller *caller)
{
    caller->network = tcp_network_new(loop_current());
    caller->tls = tls_context_new();
    const struct http_client_options options = {
        .endpoint = {.network = caller->network,
                     .host = HOST,
                     .port = caller->port,
                     .tls = caller->tls,
                     .skip_verify = true,
                     .no_http2 = true}
    };
    caller->client = http_client_new(loop_current(), &options);
    return options;
}

static void open_clients(struct caller *caller)
{
    const struct cluster_servers_credentials own = cluster_servers_credentials(caller->servers, 0);
    struct tls_identity *identity;
    char address[CLUSTER_SERVERS_ADDRESS];
    struct http_client_options options = open_client(caller);
    cluster_servers_address(0, address);
    must(tls_identity_read(str_from_c(own.client), str_from_c(own.client_key), &identity));
    options.endpoint.host = str_from_c(address);
    options.endpoint.port = caller->servers->port;
    options.endpoint.identity = identity;
    caller->direct = http_client_new(loop_current(), &options);
}

static struct error *run_caller(void *data)
{
    struct caller *caller = data;
    open_clients(caller);
    caller->measure(caller);
    fflush(NULL);
    _exit(0);
}

static void measure_with(size_t clusters, duration latency, void (*measure)(struct caller *caller))
{
    struct cluster_servers servers = {.count = clusters, .latency = latency};
    struct caller caller = {.servers = &servers, .measure = measure};
    cluster_servers_open(&servers);
    cluster_servers_start(&servers);
    const pid_t endpoint = start_endpoint(&servers, &caller.port);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        must(loop_run(loop_new(), run_caller, &caller));
    waitpid(child, NULL, 0);
    kill(endpoint, SIGKILL);
    waitpid(endpoint, NULL, 0);
    cluster_servers_stop(&servers);
    cluster_servers_close(&servers);
}

/*
 * Beside controllers. The endpoint is in their process, as in the product. Clusters that are asked
 * have servers of their own, so that what is applied to the virtual one does not wait for them.
 */

struct lateness {
    struct cluster_servers servers;
    struct endpoint endpoint;
    const struct beside_orders *orders; /* of the process that asks */
};

static void open_beside(void *data, struct sets_fixture *fixture)
{
    struct lateness *lateness = data;
    struct clustercache *clusters = fixture->controllers->clustercache;
    for (size_t i = 0; i < lateness->servers.count; i++)
        cluster_servers_register(&lateness->servers, i, fixture->admin);
    while (clustercache_connected(clusters) < fixture->clusters + lateness->servers.count)
        must(fiber_sleep(5 * MILLISECOND));
    lateness->endpoint.network = fixture->api.network;
    lateness->endpoint.clusters = clusters;
    open_endpoint(&lateness->endpoint);
}

static void close_beside(void *data)
{
    struct endpoint *endpoint = &((struct lateness *)data)->endpoint;
    http_server_free(endpoint->server);
    tls_server_free(endpoint->server_tls);
    fleet_free(endpoint->fleet);
}

static void direct_to_endpoint(void *data, const struct sets_fixture *fixture,
                               struct beside_orders *orders)
{
    const struct lateness *lateness = data;
    (void)fixture;
    orders->port = http_server_port(lateness->endpoint.server);
}

static struct error *ask_without_pause(void *data)
{
    const struct lateness *lateness = data;
    struct caller caller = {.port = lateness->orders->port};
    const double end = bench_clock() + lateness->orders->seconds;
    (void)open_client(&caller);
    while (bench_clock() < end)
        (void)time_get(caller.client, ALL "nodes");
    http_client_free(caller.client);
    tls_context_free(caller.tls);
    network_free(caller.network);
    return NULL;
}

static void ask_endpoint(void *data, const struct beside_orders *orders)
{
    struct lateness *lateness = data;
    OWNED(loop) loop = loop_new();
    lateness->orders = orders;
    must(loop_run(loop, ask_without_pause, lateness));
}

static void measure_lateness(void)
{
    struct lateness lateness = {
        .servers = {.count = BESIDE, .latency = LATENCY}
    };
    cluster_servers_open(&lateness.servers);
    cluster_servers_start(&lateness.servers);
    beside_measure(&(struct beside){.name = "beside a caller without pause",
                                    .virtual_clusters = 1,
                                    .open = open_beside,
                                    .close = close_beside,
                                    .direct = direct_to_endpoint,
                                    .ask = ask_endpoint,
                                    .data = &lateness});
    bench_row("  questions to 300 clusters meanwhile", (double)lateness.endpoint.requests, "",
              "5 Nodes of 2 KB each, at 20 ms");
    cluster_servers_stop(&lateness.servers);
    cluster_servers_close(&lateness.servers);
}

void bench_fleet(const char *which)
{
    const struct {
        const char *name;
        size_t clusters;
        duration latency;
        void (*measure)(struct caller *caller);
    } parts[] = {
        {"nodes",    SOME, LATENCY, measure_nodes   },
        {"many",     MANY, LATENCY, measure_many    },
        {"pods",     FEW,  0,       measure_pods    },
        {"silent",   SOME, LATENCY, measure_silent  },
        {"overhead", FEW,  0,       measure_overhead},
    };
    bench_heading("One endpoint for all clusters");
    for (size_t i = 0; i < COUNT(parts); i++)
        if (!which || strcmp(which, parts[i].name) == 0)
            measure_with(parts[i].clusters, parts[i].latency, parts[i].measure);
    if (!which || strcmp(which, "lateness") == 0)
        measure_lateness();
}
