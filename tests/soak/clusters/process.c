/* The ClusterCache, and who uses it: a watch of Nodes for every cluster. */
#include "async/fiber.h"
#include "base/metrics.h"
#include "client/client.h"
#include "controller/controller.h"
#include "soak/clusters/chaos.h"

static struct site *find_site(struct chaos *chaos, struct key cluster)
{
    for (size_t i = 0; i < chaos->options.clusters; i++)
        if (key_eq(chaos->sites[i].key, cluster))
            return &chaos->sites[i];
    test_fail(TEST_PLACE("cluster"), "is none of ours: %.*s", STR_ARG(cluster.name));
}

static void on_told(void *data, const struct object *cluster, struct queue *queue, int priority)
{
    struct site *site = find_site(data, object_key(cluster));
    (void)queue;
    (void)priority;
    site->tellings++;
    site->is_told = true;
    event_wake_all(&site->told);
}

static void on_node(void *data, struct key cluster, const struct cache_event *event)
{
    struct site *site = data;
    uint64_t version;
    CHECK(key_eq(cluster, site->key) && event->now);
    CHECK(str_to_uint64(object_text_resource_version(event->now), &version));
    site->events++;
    if (site->seen < version)
        site->seen = version;
}

/* Asks for its watch whenever it is told of a connection, and only then. */
static struct error *consume(void *data)
{
    struct site *site = data;
    for (;;) {
        while (!site->is_told)
            TRY(event_wait(&site->told, "news of a connection"));
        site->is_told = false;
        const struct clustercache_watch watch = {
            .name = STR("nodes"), .gvk = CHAOS_NODE, .changed = on_node, .data = site};
        TRY(error_ignore(clustercache_watch(site->chaos->cache, site->key, &watch),
                         ERROR_NOT_CONNECTED));
    }
}

static struct error *run_controller(void *data)
{
    return controller_run(data);
}

static struct cache *open_cache(struct chaos *chaos, struct gvr gvr)
{
    return cache_set_get(chaos->set, &(struct cache_options){.gvr = gvr});
}

void chaos_process_open(struct chaos *chaos)
{
    chaos->metrics = metrics_new();
    chaos->client = client_new(
        loop_current(),
        &(struct client_options){.config = &chaos->config, .network = chaos->network, .qps = -1});
    chaos->set = cache_set_new(loop_current(), chaos->client);
    const struct clustercache_options options = {
        .clusters = open_cache(chaos, GVR("cluster.x-k8s.io", "v1beta2", "clusters")),
        .secrets = open_cache(chaos, GVR("", "v1", "secrets")),
        .network = chaos->network,
        .tls = chaos->tls,
        .metrics = chaos->metrics,
        .user_agent = STR("test/1"),
        .concurrency = 4,
    };
    CHECK_OK(clustercache_new(loop_current(), &options, &chaos->cache));
    clustercache_add_source(chaos->cache,
                            &(struct clustercache_source){.map = on_told, .data = chaos});
    chaos->controller = clustercache_take_controller(chaos->cache);
    scope_start(&chaos->running, "controller", run_controller, chaos->controller);
    for (size_t i = 0; i < chaos->options.clusters; i++)
        scope_start(&chaos->running, "consumer", consume, &chaos->sites[i]);
}

void chaos_process_close(struct chaos *chaos)
{
    scope_done(&chaos->running);
    controller_free(chaos->controller);
    clustercache_free(chaos->cache);
    cache_set_free(chaos->set);
    client_free(chaos->client);
    metrics_free(chaos->metrics);
}
