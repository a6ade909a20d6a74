/*
 * The demonstration: manifests in YAML reach several servers at once over TLS and HTTP/2.
 *
 * The servers stand for workload clusters. Each has an authority of its own, wants a client
 * certificate, and keeps what it is sent; there is no Kubernetes API in it yet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/memory.h"
#include "cmd/command.h"
#include "http/client.h"
#include "http/server.h"
#include "json/json.h"
#include "json/manifest.h"
#include "json/path.h"
#include "net/network.h"
#include "net/pki.h"
#include "net/tcp.h"
#include "net/tls.h"

#define CLUSTERS_DEFAULT 3
#define CLUSTERS_MAX     100
#define OBJECT_MAX       MEGABYTE

/* What an add-on for a bare cluster looks like, oddities of YAML included. */
static const char example[] = "apiVersion: v1\n"
                              "kind: Namespace\n"
                              "metadata: {name: cni-system}\n"
                              "---\n"
                              "# the settings every node reads\n"
                              "apiVersion: v1\n"
                              "kind: ConfigMap\n"
                              "metadata:\n"
                              "  name: cni-config\n"
                              "  namespace: cni-system\n"
                              "data:\n"
                              "  mtu: \"1450\"\n"
                              "  script: |\n"
                              "    #!/bin/sh\n"
                              "    exec cni --config /etc/cni\n"
                              "---\n"
                              "apiVersion: apps/v1\n"
                              "kind: DaemonSet\n"
                              "metadata:\n"
                              "  name: cni-agent\n"
                              "  namespace: cni-system\n"
                              "spec:\n"
                              "  selector:\n"
                              "    matchLabels: &labels {app: cni}\n"
                              "  template:\n"
                              "    metadata:\n"
                              "      labels: *labels\n"
                              "    spec:\n"
                              "      hostNetwork: yes\n"
                              "      volumes:\n"
                              "      - name: config\n"
                              "        configMap: {name: cni-config, defaultMode: 0644}\n";

struct cluster {
    struct demo *demo;
    char name[32];
    struct tls_server *tls;
    struct http_server *server;
    struct http_client *client;
    size_t received, refused;
    bool over_http2;
    duration took;
    struct error *err;
};

struct demo {
    size_t count;
    struct cluster *clusters;
    struct network *network;
    struct tls_context *tls;
    struct manifest_list objects;
};

/* The cluster's side: takes objects from clients it knows. */
static struct error *take_object(void *data, struct http_request *request)
{
    struct cluster *cluster = data;
    struct tls_peer peer;
    http_request_peer(request, &peer);
    if (!peer.verified) {
        cluster->refused++;
        return error_new(ERROR_UNAUTHORIZED, "show a client certificate");
    }
    SCOPED(buf) body = {.limit = OBJECT_MAX};
    TRY(http_request_read_all(request, &body));
    OWNED(json_doc) object = NULL;
    TRY(json_read(buf_str(&body), &object));
    cluster->received++;
    SCOPED(buf) answer = {0};
    json_write(&answer, json_doc_root(object));
    return http_request_answer(request, 201, STR("application/json"), buf_str(&answer));
}

static struct error *issue(const struct pki_authority *authority, struct str name, bool server,
                           struct tls_identity **ret_identity)
{
    const int64_t now = loop_wall(loop_current());
    const struct str address = STR("127.0.0.1");
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    TRY(pki_issue(authority,
                  &(struct pki_request){.common_name = name,
                                        .names = server ? &address : NULL,
                                        .name_count = server,
                                        .server = server,
                                        .client = !server,
                                        .not_before = now - HOUR,
                                        .not_after = now + 24 * HOUR},
                  &certificate, &key));
    return tls_identity_read(buf_str(&certificate), buf_str(&key), ret_identity);
}

static struct error *start_cluster(struct cluster *cluster)
{
    const int64_t now = loop_wall(loop_current());
    OWNED(pki_authority) authority = NULL;
    OWNED(tls_trust) trust = NULL;
    OWNED(tls_identity) server = NULL;
    OWNED(tls_identity) client = NULL;
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    TRY(pki_authority_new(STR("demo authority"), now - HOUR, now + 24 * HOUR, &authority));
    TRY(pki_authority_write(authority, &certificate, &key));
    TRY(tls_trust_read(buf_str(&certificate), &trust));
    TRY(issue(authority, str_from_c(cluster->name), true, &server));
    TRY(issue(authority, STR("corset"), false, &client));

    const struct tls_server_options tls = {
        .identity = server, .client_trust = trust, .http2 = true};
    TRY(tls_server_new(&tls, &cluster->tls));
    const struct http_server_options serving = {
        .network = cluster->demo->network,
        .host = STR("127.0.0.1"),
        .tls = cluster->tls,
        .handler = take_object,
        .data = cluster,
    };
    TRY(http_server_new(loop_current(), &serving, &cluster->server));
    const struct http_client_options using = {
        .endpoint = {.network = cluster->demo->network,
                     .host = STR("127.0.0.1"),
                     .port = http_server_port(cluster->server),
                     .tls = cluster->demo->tls,
                     .identity = client,
                     .trust = trust},
    };
    cluster->client = http_client_new(loop_current(), &using);
    return NULL;
}

static struct error *send_object(struct cluster *cluster, const struct json_value *object)
{
    SCOPED(buf) body = {0};
    SCOPED(buf) answer = {.limit = OBJECT_MAX};
    OWNED(http_response) response = NULL;
    json_write(&body, object);
    FIBER_TIMEOUT(10 * SECOND);
    TRY(http_client_send(cluster->client,
                         &(struct http_client_request){.method = STR("POST"),
                                                       .target = STR("/objects"),
                                                       .body = buf_str(&body)},
                         &response));
    cluster->over_http2 = http_response_is_http2(response);
    const int status = http_response_status(response);
    TRY(http_response_read_all(response, &answer));
    if (status != 201)
        return error_new(error_code_from_http_status(status), "answered %d: %.*s", status,
                         STR_ARG(buf_str(&answer)));
    return NULL;
}

/* Objects of a cluster go in order, clusters side by side. */
static struct error *fill_cluster(void *data)
{
    struct cluster *cluster = data;
    const int64_t begun = loop_now(loop_current());
    const struct manifest_list *objects = &cluster->demo->objects;
    for (size_t i = 0; i < objects->count && !cluster->err; i++)
        cluster->err = send_object(cluster, json_doc_root(objects->docs[i]));
    cluster->took = loop_now(loop_current()) - begun;
    fprintf(stderr, "  %s: %s\n", cluster->name, cluster->err ? cluster->err->message : "done");
    return NULL;
}

static void print_objects(const struct demo *demo)
{
    printf("\n%-12s %-12s %s\n", "KIND", "NAME", "AS JSON");
    for (size_t i = 0; i < demo->objects.count; i++) {
        const struct json_value *object = json_doc_root(demo->objects.docs[i]);
        const struct str kind = json_to_str(json_get(object, STR("kind")));
        const struct str name = json_to_str(json_path(object, "metadata.name"));
        SCOPED(buf) text = {0};
        json_write(&text, object);
        printf("%-12.*s %-12.*s %.*s%s\n", STR_ARG(kind), STR_ARG(name),
               text.len > 72 ? 72 : (int)text.len, text.ptr, text.len > 72 ? "…" : "");
    }
}

static bool print_clusters(const struct demo *demo)
{
    bool complete = true;
    printf("\n%-12s %-10s %-10s %-10s %s\n", "CLUSTER", "OBJECTS", "PROTOCOL", "TOOK", "STATE");
    for (size_t i = 0; i < demo->count; i++) {
        const struct cluster *cluster = &demo->clusters[i];
        char took[DURATION_TEXT_MAX];
        const struct str span = duration_write(cluster->took / MICROSECOND * MICROSECOND, took);
        complete &= !cluster->err && cluster->received == demo->objects.count;
        printf("%-12s %zu of %-5zu %-10s %-10.*s %s\n", cluster->name, cluster->received,
               demo->objects.count, cluster->over_http2 ? "HTTP/2" : "HTTP/1.1", STR_ARG(span),
               cluster->err ? cluster->err->message : "complete");
    }
    return complete;
}

static struct error *show(struct demo *demo)
{
    fprintf(stderr, "Reading the example manifests (YAML, three documents)\n");
    TRY(manifest_read(str_from_c(example), NULL, &demo->objects, NULL), "read the example");
    fprintf(stderr, "Starting %zu servers, each with its own certificate authority\n", demo->count);
    for (size_t i = 0; i < demo->count; i++)
        TRY(start_cluster(&demo->clusters[i]), "start %s", demo->clusters[i].name);
    fprintf(stderr, "Sending every object to every server, all at once\n");
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < demo->count; i++)
        scope_start(&scope, "fill", fill_cluster, &demo->clusters[i]);
    return scope_wait(&scope);
}

static void demo_done(struct demo *demo)
{
    for (size_t i = 0; i < demo->count; i++) {
        struct cluster *cluster = &demo->clusters[i];
        http_client_free(cluster->client);
        http_server_free(cluster->server);
        tls_server_free(cluster->tls);
        error_free(cluster->err);
    }
    manifest_list_done(&demo->objects);
    mem_free(demo->clusters);
    tls_context_free(demo->tls);
    network_free(demo->network);
}

static struct error *run_demo(void *data)
{
    const size_t *count = data;
    SCOPED(demo) demo = {.count = *count};
    demo.clusters = mem_alloc_zero(*count * sizeof(*demo.clusters));
    demo.network = tcp_network_new(loop_current());
    demo.tls = tls_context_new();
    for (size_t i = 0; i < *count; i++) {
        demo.clusters[i].demo = &demo;
        snprintf(demo.clusters[i].name, sizeof(demo.clusters[i].name), "vc-%04zu", i + 1);
    }
    TRY(show(&demo));
    print_objects(&demo);
    if (!print_clusters(&demo))
        return error_new(ERROR_INTERNAL, "not every cluster has everything");
    printf("\nThis is the ground corset stands on: manifests read as Kubernetes reads them, and\n"
           "connections to many clusters at once. The controllers are still to come. Try:\n\n"
           "  corset demo --clusters 50\n"
           "  corset help\n"
           "  make test\n");
    return NULL;
}

static int run(int argc, char **argv)
{
    uint64_t count = CLUSTERS_DEFAULT;
    for (int i = 0; i < argc; i++) {
        struct str value;
        if (str_starts_with(str_from_c(argv[i]), STR("--clusters=")))
            value = str_skip(str_from_c(argv[i]), strlen("--clusters="));
        else if (strcmp(argv[i], "--clusters") == 0 && i + 1 < argc)
            value = str_from_c(argv[++i]);
        else
            return command_misused(&command_demo, "unknown argument '%s'", argv[i]);
        if (!str_to_uint64(value, &count) || count < 1 || count > CLUSTERS_MAX)
            return command_misused(&command_demo, "--clusters takes a number from 1 to %d",
                                   CLUSTERS_MAX);
    }
    OWNED(loop) loop = loop_new();
    struct error *err = loop_run(loop, run_demo, &(size_t){(size_t)count});
    return err ? command_fail(err) : COMMAND_DONE;
}

const struct command command_demo = {
    .name = "demo",
    .summary = "show what corset does, in one process, in seconds",
    .help =
        "Reads example manifests and brings them to several servers at once, each with its own\n"
        "certificate authority, in one process and without touching anything outside it.\n\n"
        "Usage: corset demo [--clusters N]\n\n"
        "  --clusters N   how many servers stand for clusters, 1 to 100 (default 3)\n\n"
        "Example:\n"
        "  corset demo --clusters 50\n",
    .run = run,
};
