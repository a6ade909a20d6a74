#include "cluster_servers.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_fixture.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/random.h"
#include "base/timestamp.h"
#include "bench.h"
#include "client/client.h"
#include "http/server.h"
#include "net/network.h"
#include "net/pki.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "registration.h"

#define ADDRESSES 250
#define SLOW      (2 * SECOND)

#define TEST_LABEL    "\"environment\":\"test\""
#define HEALTHY_LABEL "\"cluster.x-k8s.io/watch-filter\":\"well\""

/* About what a server with some add-ons has. */
#define GROUPS    25
#define RESOURCES 8

#define AGGREGATED STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")

static void must(struct error *err)
{
    api_fixture_must(err);
}

void cluster_servers_address(size_t index, char text[static CLUSTER_SERVERS_ADDRESS])
{
    snprintf(text, CLUSTER_SERVERS_ADDRESS, "127.%zu.%zu.%zu", 1 + index / ADDRESSES / ADDRESSES,
             index / ADDRESSES % ADDRESSES, 1 + index % ADDRESSES);
}

enum cluster_servers_manner cluster_servers_manner(const struct cluster_servers *servers,
                                                   size_t index)
{
    static const enum cluster_servers_manner sick[] = {
        CLUSTER_SERVERS_BLACK_HOLE, CLUSTER_SERVERS_BLACK_HOLE, CLUSTER_SERVERS_SLOW,
        CLUSTER_SERVERS_SLOW,       CLUSTER_SERVERS_RESETS,     CLUSTER_SERVERS_UNAUTHORIZED,
        CLUSTER_SERVERS_EXPIRED};
    const size_t place = index % 20;
    return servers->has_sick && place >= 13 ? sick[place - 13] : CLUSTER_SERVERS_WELL;
}

struct cluster_servers_credentials
cluster_servers_credentials(const struct cluster_servers *servers, size_t index)
{
    struct cluster_servers_credentials credentials;
    if (pread(servers->credentials, &credentials, sizeof(credentials),
              (off_t)(index * sizeof(credentials))) != sizeof(credentials))
        abort();
    return credentials;
}

void cluster_servers_kubeconfig(const struct cluster_servers *servers, size_t index,
                                struct buf *out)
{
    const struct cluster_servers_credentials own = cluster_servers_credentials(servers, index);
    char address[CLUSTER_SERVERS_ADDRESS];
    SCOPED(buf) host = {0};
    cluster_servers_address(index, address);
    buf_print(&host, "https://%s:%u", address, servers->port);
    const struct rest_config config = {
        .host = buf_str(&host),
        .tls = {.trust_pem = str_from_c(own.authority),
                .certificate_pem = str_from_c(own.client),
                .key_pem = str_from_c(own.client_key)},
    };
    kubeconfig_write(out, STR("cluster"), &config);
}

void cluster_servers_register(const struct cluster_servers *servers, size_t index,
                              struct client *client)
{
    const bool is_well = cluster_servers_manner(servers, index) == CLUSTER_SERVERS_WELL;
    char name[32], address[CLUSTER_SERVERS_ADDRESS];
    SCOPED(buf) kubeconfig = {.secret = true};
    snprintf(name, sizeof(name), "c%zu", index);
    cluster_servers_address(index, address);
    cluster_servers_kubeconfig(servers, index, &kubeconfig);
    registration_make(client, &(struct registration){
                                  .name = name,
                                  .labels = is_well ? TEST_LABEL "," HEALTHY_LABEL : TEST_LABEL,
                                  .kubeconfig = buf_str(&kubeconfig),
                                  .host = str_from_c(address),
                                  .port = servers->port});
}

/* Certificates. */

static void keep(char slot[static CLUSTER_SERVERS_PEM], struct buf *pem)
{
    if (pem->len >= CLUSTER_SERVERS_PEM)
        abort();
    memcpy(slot, buf_c(pem), pem->len + 1);
    buf_clear(pem);
}

static void make_credentials(const struct cluster_servers *servers, size_t index,
                             struct cluster_servers_credentials *out)
{
    const int64_t now = timestamp_now();
    const int64_t from = now - 2 * HOUR, to = now + 24 * HOUR;
    char address[CLUSTER_SERVERS_ADDRESS];
    cluster_servers_address(index, address);
    const struct str name = str_from_c(address);
    OWNED(pki_authority) authority = NULL;
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {0};
    must(pki_authority_new(STR("authority"), from, to, &authority));
    must(pki_authority_write(authority, &certificate, &key));
    keep(out->authority, &certificate);
    buf_clear(&key);
    const struct pki_request server = {
        .common_name = name,
        .names = &name,
        .name_count = 1,
        .server = true,
        .not_before = from,
        .not_after =
            cluster_servers_manner(servers, index) == CLUSTER_SERVERS_EXPIRED ? now - HOUR : to};
    must(pki_issue(authority, &server, &certificate, &key));
    keep(out->server, &certificate);
    keep(out->server_key, &key);
    const struct pki_request client = {
        .common_name = STR("bench"), .client = true, .not_before = from, .not_after = to};
    must(pki_issue(authority, &client, &certificate, &key));
    keep(out->client, &certificate);
    keep(out->client_key, &key);
}

/* Made by a process that ends, so that its heap is nobody's. */
void cluster_servers_open(struct cluster_servers *servers)
{
    const size_t size = servers->count * sizeof(struct cluster_servers_credentials);
    servers->credentials = memfd_create("credentials", MFD_CLOEXEC);
    if (ftruncate(servers->credentials, (off_t)size) != 0)
        abort();
    fflush(NULL);
    const pid_t maker = fork();
    if (maker == 0) {
        struct cluster_servers_credentials *all =
            mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, servers->credentials, 0);
        for (size_t i = 0; i < servers->count; i++)
            make_credentials(servers, i, &all[i]);
        _exit(0);
    }
    waitpid(maker, NULL, 0);
}

void cluster_servers_close(struct cluster_servers *servers)
{
    close(servers->credentials);
}

/* A process of servers. */

struct serving {
    const struct cluster_servers *servers;
    size_t first, end;       /* those of this process */
    struct buf core, groups; /* discovery */
    struct buf nodes, volumes, pods;
    int ready;
};

struct served {
    const struct serving *serving;
    size_t index;
    enum cluster_servers_manner manner;
};

static void write_resources(struct buf *out, size_t group)
{
    for (size_t i = 0; i < RESOURCES; i++)
        buf_print(
            out,
            "%s{\"resource\":\"things%zu\",\"responseKind\":{\"group\":\"\",\"version\":\"\","
            "\"kind\":\"Thing%zu\"},\"scope\":\"Namespaced\",\"singularResource\":\"thing%zu\","
            "\"verbs\":[\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\","
            "\"update\",\"watch\"]}",
            i ? "," : "", i + group, i + group, i + group);
}

static void write_group(struct buf *out, size_t group)
{
    buf_add(out, STR("{\"metadata\":{"));
    if (group)
        buf_print(out, "\"name\":\"group%zu.example.com\"", group);
    buf_add(out, STR("},\"versions\":[{\"version\":\"v1\",\"resources\":["));
    if (!group)
        buf_add(out,
                STR("{\"resource\":\"nodes\",\"responseKind\":{\"group\":\"\",\"version\":\"\","
                    "\"kind\":\"Node\"},\"scope\":\"Cluster\",\"singularResource\":\"node\","
                    "\"verbs\":[\"get\",\"list\",\"watch\"]},"));
    write_resources(out, group);
    buf_add(out, STR("],\"freshness\":\"Current\"}]}"));
}

static void write_discovery(struct buf *out, size_t first, size_t end)
{
    buf_add(out,
            STR("{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\","
                "\"metadata\":{},\"items\":["));
    for (size_t i = first; i < end; i++) {
        if (i > first)
            buf_add_char(out, ',');
        write_group(out, i);
    }
    buf_add(out, STR("]}"));
}

/* As a real server writes one for metadata. */
static struct error *write_bookmarks(struct http_request *request)
{
    static const struct str bookmark = STR_INIT(
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":"
        "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"123456\","
        "\"creationTimestamp\":null}}}\n");
    TRY(http_request_respond(request, 200, NULL));
    /* Each at its own time, so that no two come with one read of the connection. */
    TRY(fiber_sleep(
        (duration)random_below(loop_random(loop_current()), (uint64_t)CLUSTER_SERVERS_BOOKMARKS)));
    for (;;) {
        TRY(http_request_write(request, bookmark));
        TRY(fiber_sleep(CLUSTER_SERVERS_BOOKMARKS));
    }
}

/* Lists of objects of about this many bytes each. */
static void write_list(struct buf *out, const char *kind, const char *namespace, size_t count,
                       size_t size)
{
    buf_print(out,
              "{\"kind\":\"%sList\",\"apiVersion\":\"v1\",\"metadata\":{"
              "\"resourceVersion\":\"1\"},\"items\":[",
              kind);
    for (size_t i = 0; i < count; i++) {
        const size_t begin = out->len;
        buf_print(out, "%s{\"metadata\":{\"name\":\"n%zu\"%s,\"labels\":{", i ? "," : "", i,
                  namespace);
        for (size_t label = 0; out->len - begin < size; label++)
            buf_print(out, "%s\"example.com/label-%zu\":\"value-%zu\"", label ? "," : "", label,
                      label);
        buf_add(out, STR("}},\"status\":{}}"));
    }
    buf_add(out, STR("]}"));
}

static struct error *answer_list(const struct served *served, struct http_request *request,
                                 const struct buf *list)
{
    if (list == &served->serving->volumes && served->index % 10 == 9)
        return fiber_sleep(HOUR);
    TRY(fiber_sleep(served->serving->servers->latency));
    return http_request_answer(request, 200, STR("application/json"), buf_str(list));
}

static struct error *answer(void *data, struct http_request *request)
{
    const struct served *served = data;
    struct str path, rest = http_request_target(request);
    (void)str_cut(&rest, '?', &path);
    if (served->manner == CLUSTER_SERVERS_RESETS) {
        http_request_break(request);
        return NULL;
    }
    if (served->manner == CLUSTER_SERVERS_UNAUTHORIZED)
        return http_request_answer(request, 401, STR("text/plain"), STR("no\n"));
    if (served->manner == CLUSTER_SERVERS_SLOW)
        TRY(fiber_sleep(SLOW));
    if (str_find(rest, STR("watch=true")) != STR_NONE)
        return write_bookmarks(request);
    if (str_eq(path, STR("/api/v1/nodes")))
        return answer_list(served, request, &served->serving->nodes);
    if (str_eq(path, STR("/api/v1/persistentvolumes")))
        return answer_list(served, request, &served->serving->volumes);
    if (str_eq(path, STR("/api/v1/pods")))
        return answer_list(served, request, &served->serving->pods);
    if (str_eq(path, STR("/api")))
        return http_request_answer(request, 200, AGGREGATED, buf_str(&served->serving->core));
    if (str_eq(path, STR("/apis")))
        return http_request_answer(request, 200, AGGREGATED, buf_str(&served->serving->groups));
    return http_request_answer(request, 200, STR("text/plain"), STR("ok\n"));
}

/* Connections wait for somebody to accept them, and when those are too many, packets vanish. */
static void start_black_hole(const char *address, uint16_t port)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, address, &where.sin_addr);
    if (fd < 0 || bind(fd, (struct sockaddr *)&where, sizeof(where)) != 0 || listen(fd, 1) != 0)
        abort();
}

static void start_server(const struct serving *serving, size_t index, struct network *network,
                         uint16_t *port)
{
    const struct cluster_servers_credentials own =
        cluster_servers_credentials(serving->servers, index);
    char address[CLUSTER_SERVERS_ADDRESS];
    struct tls_identity *identity;
    struct tls_trust *trust;
    struct tls_server *tls;
    struct http_server *server;
    struct served *served = malloc(sizeof(*served));
    *served = (struct served){serving, index, cluster_servers_manner(serving->servers, index)};
    cluster_servers_address(index, address);
    if (served->manner == CLUSTER_SERVERS_BLACK_HOLE) {
        start_black_hole(address, *port);
        return;
    }
    must(tls_identity_read(str_from_c(own.server), str_from_c(own.server_key), &identity));
    must(tls_trust_read(str_from_c(own.authority), &trust));
    must(tls_server_new(
        &(struct tls_server_options){.identity = identity, .client_trust = trust, .http2 = true},
        &tls));
    const struct http_server_options options = {
        .network = network,
        .host = str_from_c(address),
        .port = *port,
        .tls = tls,
        .handler = answer,
        .data = served,
        .timeouts = {.idle = HOUR, .first = HOUR}
    };
    must(http_server_new(loop_current(), &options, &server));
    *port = http_server_port(server);
}

static struct error *serve_all(void *data)
{
    struct serving *serving = data;
    struct network *network = tcp_network_new(loop_current());
    uint16_t port = serving->servers->port; /* that of the servers before, 0 for the first */
    write_discovery(&serving->core, 0, 1);
    write_discovery(&serving->groups, 1, GROUPS);
    write_list(&serving->nodes, "Node", "", CLUSTER_SERVERS_NODES, 2 * KILOBYTE);
    write_list(&serving->volumes, "PersistentVolume", "", CLUSTER_SERVERS_NODES, 2 * KILOBYTE);
    write_list(&serving->pods, "Pod", ",\"namespace\":\"default\"", CLUSTER_SERVERS_PODS,
               2 * KILOBYTE);
    for (size_t i = serving->first; i < serving->end; i++)
        start_server(serving, i, network, &port);
    if (write(serving->ready, &port, sizeof(port)) != sizeof(port))
        abort();
    return fiber_sleep(HOUR);
}

static size_t count_processes(const struct cluster_servers *servers)
{
    return (servers->count + CLUSTER_SERVERS_EACH - 1) / CLUSTER_SERVERS_EACH;
}

/* Returns when all servers of the process listen. */
static void start_servers(struct cluster_servers *servers, size_t process)
{
    int pipe_fds[2];
    const size_t first = process * CLUSTER_SERVERS_EACH;
    const size_t left = servers->count - first;
    const size_t count = left < CLUSTER_SERVERS_EACH ? left : CLUSTER_SERVERS_EACH;
    if (pipe(pipe_fds) != 0)
        abort();
    fflush(NULL);
    servers->processes[process] = fork();
    if (servers->processes[process] == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct serving serving = {.servers = servers,
                                  .first = first,
                                  .end = first + count,
                                  .core = {.limit = 0},
                                  .groups = {.limit = 0},
                                  .ready = pipe_fds[1]};
        must(loop_run(loop_new(), serve_all, &serving));
        _exit(0);
    }
    close(pipe_fds[1]);
    if (read(pipe_fds[0], &servers->port, sizeof(servers->port)) != sizeof(servers->port))
        abort();
    close(pipe_fds[0]);
}

void cluster_servers_start(struct cluster_servers *servers)
{
    /* A client's connections; a server has up to two clients at a time, and listens. */
    const size_t most =
        servers->count < CLUSTER_SERVERS_EACH ? servers->count : CLUSTER_SERVERS_EACH;
    bench_raise_files((3 * most > servers->count ? 3 * most : servers->count) + 1000);
    if (count_processes(servers) > CLUSTER_SERVERS_PROCESSES)
        abort();
    servers->port = 0;
    for (size_t i = 0; i < count_processes(servers); i++)
        start_servers(servers, i);
}

void cluster_servers_stop(struct cluster_servers *servers)
{
    for (size_t i = 0; i < count_processes(servers); i++) {
        kill(servers->processes[i], SIGKILL);
        waitpid(servers->processes[i], NULL, 0);
    }
}

void cluster_servers_measure(struct cluster_servers *servers, fiber_fn measure, void *data)
{
    cluster_servers_start(servers);
    fflush(NULL);
    const pid_t client = fork();
    if (client == 0) {
        OWNED(loop) loop = loop_new();
        must(loop_run(loop, measure, data));
        fflush(NULL);
        _exit(0);
    }
    waitpid(client, NULL, 0);
    cluster_servers_stop(servers);
}
