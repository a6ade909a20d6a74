/*
 * The demonstration: manifests in YAML reach several clusters at once, in one process.
 *
 * The clusters are virtual ones of the embedded API server, each a whole API of its own. What a
 * cluster has afterwards is read back from it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apiserver/apiserver.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery.h"
#include "client/kubeconfig.h"
#include "cmd/command.h"
#include "cmd/flags.h"
#include "json/manifest.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define CLUSTERS_DEFAULT 3
#define CLUSTERS_MAX     1000
#define CLUSTER_TIMEOUT  (30 * SECOND)

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
                              "      containers:\n"
                              "      - {name: agent, image: \"example/cni:1.4\"}\n"
                              "      volumes:\n"
                              "      - name: config\n"
                              "        configMap: {name: cni-config, defaultMode: 0644}\n";

struct cluster {
    struct demo *demo;
    struct str name;
    struct rest_config config;
    struct client *client;
    struct discovery *discovery;
    size_t applied, found;
    duration took;
    struct error *err;
};

struct demo {
    size_t count;
    struct cluster *clusters;
    struct network *network;
    struct tls_context *tls;
    struct discovery_pool *pool;
    struct apiserver *server;
    struct manifest_list objects;
};

/* The way in, as a kubeconfig gives it to everybody else. */
static struct error *connect_cluster(struct cluster *cluster, size_t index)
{
    struct demo *demo = cluster->demo;
    SCOPED(buf) token = {.secret = true};
    SCOPED(buf) text = {.secret = true};
    SCOPED(rest_config) way = {0};
    cluster->name = apiserver_cluster_name(demo->server, index);
    apiserver_cluster_token(demo->server, index, &token);
    way.host = arena_print(&way.arena, "https://127.0.0.1:%u/clusters/%.*s",
                           (unsigned)apiserver_port(demo->server), STR_ARG(cluster->name));
    way.tls.trust_pem = apiserver_authority(demo->server);
    way.auth.token = buf_str(&token);
    kubeconfig_write(&text, cluster->name, &way);
    TRY(kubeconfig_read(buf_str(&text), STR(""), NULL, &cluster->config));
    const struct client_options options = {
        .config = &cluster->config,
        .network = demo->network,
        .tls = demo->tls,
        .user_agent = STR("corset-demo"),
    };
    cluster->client = client_new(loop_current(), &options);
    cluster->discovery = discovery_new(cluster->client, demo->pool, NULL);
    return NULL;
}

static struct error *find_gvr(struct cluster *cluster, struct arena *arena,
                              const struct object *object, struct gvr *ret_gvr)
{
    struct discovery_mapping mapping;
    TRY(discovery_find_kind(cluster->discovery, arena, object_gvk(object), &mapping));
    *ret_gvr = mapping.gvr;
    return NULL;
}

static struct error *apply(struct cluster *cluster, struct json_doc *doc)
{
    SCOPED(arena) arena = {0};
    OWNED(object) object = NULL;
    struct gvr gvr;
    const struct client_write_options options = {.field_manager = STR("corset"), .force = true};
    TRY(object_from_doc(doc, &object));
    TRY(find_gvr(cluster, &arena, object, &gvr));
    OWNED(object) stored = NULL;
    TRY(client_apply(cluster->client, gvr, object, &options, &stored));
    cluster->applied++;
    return NULL;
}

static struct error *look(struct cluster *cluster, struct json_doc *doc)
{
    SCOPED(arena) arena = {0};
    OWNED(object) object = NULL;
    OWNED(object) stored = NULL;
    struct gvr gvr;
    TRY(object_from_doc(doc, &object));
    TRY(find_gvr(cluster, &arena, object, &gvr));
    TRY(client_get(cluster->client, gvr, object_key(object), NULL, &stored));
    cluster->found++;
    return NULL;
}

/* Objects of a cluster go in order, clusters side by side. */
static struct error *fill_cluster(void *data)
{
    struct cluster *cluster = data;
    const int64_t begun = loop_now(loop_current());
    const struct manifest_list *objects = &cluster->demo->objects;
    FIBER_TIMEOUT(CLUSTER_TIMEOUT);
    for (size_t i = 0; i < objects->count && !cluster->err; i++)
        cluster->err = apply(cluster, objects->docs[i]);
    cluster->took = loop_now(loop_current()) - begun;
    for (size_t i = 0; i < objects->count && !cluster->err; i++)
        cluster->err = look(cluster, objects->docs[i]);
    fprintf(stderr, "  %.*s: %s\n", STR_ARG(cluster->name),
            cluster->err ? cluster->err->message : "done");
    return NULL;
}

static bool print_clusters(const struct demo *demo)
{
    bool complete = true;
    printf("\n%-10s %-10s %-10s %-10s %s\n", "CLUSTER", "APPLIED", "FOUND", "TOOK", "STATE");
    for (size_t i = 0; i < demo->count; i++) {
        const struct cluster *cluster = &demo->clusters[i];
        char took[DURATION_TEXT_MAX];
        const struct str span = duration_write(cluster->took / MICROSECOND * MICROSECOND, took);
        complete &= !cluster->err && cluster->found == demo->objects.count;
        printf("%-10.*s %zu of %-5zu %zu of %-5zu %-10.*s %s\n", STR_ARG(cluster->name),
               cluster->applied, demo->objects.count, cluster->found, demo->objects.count,
               STR_ARG(span), cluster->err ? cluster->err->message : "complete");
    }
    return complete;
}

static struct error *show(struct demo *demo)
{
    fprintf(stderr, "Reading the example manifests (YAML, three documents)\n");
    TRY(manifest_read(str_from_c(example), NULL, &demo->objects, NULL), "read the example");
    fprintf(stderr, "Starting the embedded API server with %zu virtual clusters\n", demo->count);
    const struct apiserver_options options = {
        .network = demo->network,
        .host = STR("127.0.0.1"),
        .virtual_clusters = demo->count,
    };
    TRY(apiserver_new(loop_current(), &options, &demo->server), "start the API server");
    for (size_t i = 0; i < demo->count; i++)
        TRY(connect_cluster(&demo->clusters[i], i), "connect to cluster %zu", i + 1);
    fprintf(stderr, "Applying every object to every cluster, all at once\n");
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < demo->count; i++)
        scope_start(&scope, "fill", fill_cluster, &demo->clusters[i]);
    return scope_wait(&scope);
}

static void demo_done(struct demo *demo)
{
    for (size_t i = 0; i < demo->count; i++) {
        struct cluster *cluster = &demo->clusters[i];
        discovery_free(cluster->discovery);
        client_free(cluster->client);
        rest_config_done(&cluster->config);
        error_free(cluster->err);
    }
    apiserver_free(demo->server);
    manifest_list_done(&demo->objects);
    mem_free(demo->clusters);
    discovery_pool_free(demo->pool);
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
    demo.pool = discovery_pool_new();
    for (size_t i = 0; i < *count; i++)
        demo.clusters[i].demo = &demo;
    TRY(show(&demo));
    if (!print_clusters(&demo))
        return error_new(ERROR_INTERNAL, "not every cluster has everything");
    printf("\nManifests read as Kubernetes reads them, applied to many clusters at once, and read\n"
           "back. The controllers that keep it so are still to come. Try:\n\n"
           "  corset demo --clusters 100\n"
           "  corset apiserver --in-memory --write-kubeconfig /tmp/kubeconfig\n"
           "  kubectl --kubeconfig /tmp/kubeconfig get namespaces     (meanwhile)\n");
    return NULL;
}

static const struct flag flags[] = {
    {"clusters", FLAG_COUNT, 0, FLAG_ANY},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
};

static int run(int argc, char **argv)
{
    size_t count = CLUSTERS_DEFAULT;
    if (!flags_read(&command_demo, argc, argv, &count))
        return COMMAND_USAGE;
    if (count < 1 || count > CLUSTERS_MAX)
        return command_misused(&command_demo, "--clusters takes a number from 1 to %d",
                               CLUSTERS_MAX);
    OWNED(loop) loop = loop_new();
    struct error *err = loop_run(loop, run_demo, &count);
    return err ? command_fail(err) : COMMAND_DONE;
}

const struct command command_demo = {
    .name = "demo",
    .summary = "show what corset does, in one process, in seconds",
    .help = "Reads example manifests and applies them to several virtual clusters at once, in one\n"
            "process and without touching anything outside it.\n\n"
            "Usage: corset demo [--clusters N]\n\n"
            "  --clusters N   how many clusters, 1 to 1000 (default 3)\n\n"
            "Example:\n"
            "  corset demo --clusters 100\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run,
};
