/*
 * The options of a ClusterCache: required ones are checked, zeros become defaults, strings and
 * tables are copied into the arena of the config, because the caller's may be on a stack.
 *
 * The order of checks and the error texts are those of Cluster API.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "client/discovery/discovery.h"
#include "clustercache/clustercache_internal.h"

static const struct clustercache_timing timing_defaults = {
    .retry = 30 * SECOND,
    .probe = 10 * SECOND,
    .probe_timeout = 5 * SECOND,
    .threshold = 5,
    .sync_timeout = 5 * MINUTE,
    .fallback = 10 * SECOND,
    .unauthorized = MILLISECOND,
    .jitter = 0.05,
};

#define TIMEOUT_DEFAULT     (10 * SECOND)
#define QPS_DEFAULT         20
#define BURST_DEFAULT       30
#define CONCURRENCY_DEFAULT 100
#define HANDSHAKES_DEFAULT  64
#define RESYNC_DEFAULT      (10 * MINUTE)
#define SYNC_PERIOD_DEFAULT (10 * HOUR)

/*
 * What large responses of all clusters may take while they arrive, and the values of one of them:
 * sixteen bytes each when it is parsed, one at a time.
 */
#define ANSWERS_MAX       (20 * MEGABYTE)
#define ANSWER_VALUES_MAX 500000

#define OR_DEFAULT(field, value) \
    do {                         \
        if (!(field))            \
            (field) = (value);   \
    } while (0)

/* A negative jitter means none, so only zero is replaced. */
static void fill_timing(struct clustercache_timing *timing)
{
    OR_DEFAULT(timing->retry, timing_defaults.retry);
    OR_DEFAULT(timing->probe, timing_defaults.probe);
    OR_DEFAULT(timing->probe_timeout, timing_defaults.probe_timeout);
    OR_DEFAULT(timing->threshold, timing_defaults.threshold);
    OR_DEFAULT(timing->sync_timeout, timing_defaults.sync_timeout);
    OR_DEFAULT(timing->fallback, timing_defaults.fallback);
    OR_DEFAULT(timing->unauthorized, timing_defaults.unauthorized);
    if (timing->jitter == 0)
        timing->jitter = timing_defaults.jitter;
}

static void fill_client(struct clustercache_options *options)
{
    OR_DEFAULT(options->timeout, TIMEOUT_DEFAULT);
    if (options->qps == 0)
        options->qps = QPS_DEFAULT;
    if (options->burst == 0)
        options->burst = BURST_DEFAULT;
}

static void fill_sizes(struct clustercache_options *options)
{
    OR_DEFAULT(options->concurrency, CONCURRENCY_DEFAULT);
    OR_DEFAULT(options->handshakes, HANDSHAKES_DEFAULT);
    OR_DEFAULT(options->resync, RESYNC_DEFAULT);
    OR_DEFAULT(options->sync_period, SYNC_PERIOD_DEFAULT);
}

static struct str environment(const char *name)
{
    return str_from_c(getenv(name)); /* NOLINT(concurrency-mt-unsafe): never set */
}

/* The downward API sets these variables in the manifest of the controller. */
static void find_own_pod(struct clustercache_options *options)
{
    if (options->pod_namespace.len || options->pod_name.len || options->pod_uid.len)
        return;
    options->pod_namespace = environment("POD_NAMESPACE");
    options->pod_name = environment("POD_NAME");
    options->pod_uid = environment("POD_UID");
}

/* The resource of a kind is left out: discovery of each cluster finds it. */
static void copy_kinds(struct arena *texts, struct clustercache_options *options)
{
    struct clustercache_kind *kinds = arena_alloc_array(texts, options->kind_count, sizeof(*kinds));
    for (size_t i = 0; i < options->kind_count; i++) {
        struct cache_options *own = &kinds[i].options;
        kinds[i] = options->kinds[i];
        kinds[i].gvk = gvk_copy(texts, kinds[i].gvk);
        own->gvr = (struct gvr){0};
        own->namespace = arena_str(texts, own->namespace);
        own->label_selector = arena_str(texts, own->label_selector);
        own->field_selector = arena_str(texts, own->field_selector);
    }
    options->kinds = kinds;
}

static void copy_tables(struct arena *texts, struct clustercache_options *options)
{
    struct gvk *uncached = arena_alloc_array(texts, options->uncached_count, sizeof(*uncached));
    struct clustercache_index *indexes =
        arena_alloc_array(texts, options->index_count, sizeof(*indexes));
    for (size_t i = 0; i < options->uncached_count; i++)
        uncached[i] = gvk_copy(texts, options->uncached[i]);
    for (size_t i = 0; i < options->index_count; i++) {
        indexes[i] = options->indexes[i];
        indexes[i].gvk = gvk_copy(texts, indexes[i].gvk);
        indexes[i].name = arena_str(texts, indexes[i].name);
    }
    options->uncached = uncached;
    options->indexes = indexes;
    copy_kinds(texts, options);
}

static void copy_texts(struct arena *texts, struct clustercache_options *options)
{
    options->user_agent = arena_str(texts, options->user_agent);
    options->watch_filter = arena_str(texts, options->watch_filter);
    options->pod_namespace = arena_str(texts, options->pod_namespace);
    options->pod_name = arena_str(texts, options->pod_name);
    options->pod_uid = arena_str(texts, options->pod_uid);
}

struct error *clustercache_config_check(const struct clustercache_options *options)
{
    if (!options->secrets)
        return error_new(ERROR_INVALID, "options.SecretClient must be set");
    if (!options->user_agent.len)
        return error_new(ERROR_INVALID, "options.Client.UserAgent must be set");
    if (!options->clusters)
        return error_new(ERROR_INVALID, "options.clusters must be set");
    return NULL;
}

struct clustercache_config *clustercache_config_new(struct loop *loop,
                                                    const struct clustercache_options *options)
{
    struct clustercache_config *config = NEW(struct clustercache_config);
    answer_pool_init(&config->answers, ANSWERS_MAX, ANSWER_VALUES_MAX);
    config->references = 1;
    config->loop = loop;
    config->options = *options;
    config->pool = discovery_pool_new();
    fill_timing(&config->options.timing);
    fill_client(&config->options);
    fill_sizes(&config->options);
    find_own_pod(&config->options);
    copy_texts(&config->texts, &config->options);
    copy_tables(&config->texts, &config->options);
    config->has_own_pod = config->options.pod_namespace.len && config->options.pod_name.len &&
                          config->options.pod_uid.len;
    return config;
}

struct clustercache_config *clustercache_config_ref(struct clustercache_config *config)
{
    config->references++;
    return config;
}

void clustercache_config_free(struct clustercache_config *config)
{
    if (!config || --config->references > 0)
        return;
    answer_pool_done(&config->answers);
    discovery_pool_free(config->pool);
    arena_done(&config->texts);
    mem_free(config);
}
