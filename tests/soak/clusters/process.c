/*
 * The process under test: a management client, its caches, the ClusterCache with four workers, and
 * one consumer per cluster. It is opened once per run and never restarted; only the servers around
 * it come and go.
 */
#include "async/fiber.h"
#include "base/metrics.h"
#include "client/client.h"
#include "controller/controller.h"
#include "soak/clusters/chaos.h"

static struct workload_cluster *find_cluster(struct chaos *chaos, struct key cluster)
{
    for (size_t i = 0; i < chaos->options.clusters; i++)
        if (key_eq(chaos->workload_clusters[i].key, cluster))
            return &chaos->workload_clusters[i];
    test_fail(TEST_PLACE("cluster"), "is none of ours: %.*s", STR_ARG(cluster.name));
}

static void on_told(void *data, const struct object *object, struct queue *queue, int priority)
{
    struct workload_cluster *cluster = find_cluster(data, object_key(object));
    (void)queue;
    (void)priority;
    cluster->tellings++;
    cluster->is_told = true;
    event_wake_all(&cluster->told);
}

/* Only for Nodes of this cluster: a mix-up of connections would show here. */
static void on_node(void *data, struct key key, const struct cache_event *event)
{
    struct workload_cluster *cluster = data;
    uint64_t version;
    CHECK(key_eq(key, cluster->key) && event->now);
    CHECK(str_to_uint64(object_text_resource_version(event->now), &version));
    cluster->events++;
    if (cluster->seen < version)
        cluster->seen = version;
}

/*
 * A consumer asks for its watch when the source tells it of a connect or disconnect, and only then:
 * a source that forgets to tell would leave it without events, and the checks would see that.
 */
static struct error *run_consumer(void *data)
{
    struct workload_cluster *cluster = data;
    for (;;) {
        while (!cluster->is_told)
            TRY(event_wait(&cluster->told, "news of a connection"));
        cluster->is_told = false;
        const struct clustercache_watch watch = {
            .name = STR("nodes"), .gvk = CHAOS_NODE, .changed = on_node, .data = cluster};
        TRY(error_ignore(clustercache_watch(cluster->chaos->cache, cluster->key, &watch),
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
        scope_start(&chaos->running, "consumer", run_consumer, &chaos->workload_clusters[i]);
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
