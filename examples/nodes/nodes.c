/* Watches the Nodes of all clusters of a management cluster ($KUBECONFIG) and prints changes. */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache.h"
#include "controller/controller.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

static void on_node(void *data, struct key cluster, const struct cache_event *event)
{
    static const char *const words[] = {"added", "changed", "deleted"};
    const struct key node = object_text_key(event->now ? event->now : event->old);
    printf("%.*s: %.*s %s\n", STR_ARG(cluster.name), STR_ARG(node.name), words[event->type]);
    fflush(data);
}

/* Called after every connect and disconnect; without a connection there is nothing to watch. */
static void on_cluster(void *data, const struct object *cluster, struct queue *queue, int priority)
{
    struct clustercache_watch watch = {.name = STR("nodes"), .changed = on_node, .data = stdout};
    watch.gvk = GVK("", "v1", "Node");
    (void)queue, (void)priority;
    error_free(clustercache_watch(*(struct clustercache **)data, object_key(cluster), &watch));
}

static struct error *run(void *loop)
{
    SCOPED(rest_config) config = {0};
    const struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    TRY(kubeconfig_load(&paths, NULL, &config));
    OWNED(network) network = tcp_network_new(loop);
    OWNED(tls_context) tls = tls_context_new();
    const struct client_options management = {.config = &config, .network = network, .tls = tls};
    OWNED(client) client = client_new(loop, &management);
    OWNED(cache_set) caches = cache_set_new(loop, client);
    struct cache_options kind = {.gvr = GVR_CLUSTERS};
    struct clustercache_options options = {.network = network, .tls = tls, .user_agent = STR("n")};
    options.clusters = cache_set_get(caches, &kind);
    kind.gvr = GVR_SECRETS;
    kind.label_selector = STR("cluster.x-k8s.io/cluster-name");
    options.secrets = cache_set_get(caches, &kind);
    OWNED(clustercache) clusters = NULL;
    TRY(clustercache_new(loop, &options, &clusters));
    const struct clustercache_source source = {.map = on_cluster, .data = &clusters};
    clustercache_add_source(clusters, &source);
    OWNED(controller) controller = clustercache_take_controller(clusters);
    return controller_run(controller);
}

int main(void)
{
    OWNED(loop) loop = loop_new();
    OWNED(error) err = loop_run(loop, run, loop);
    return fprintf(stderr, "%s\n", err->message) > 0;
}
