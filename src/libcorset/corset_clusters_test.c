/* The options of corset/clusters.h as those of the ClusterCache. */
#include "clustercache/clustercache.h"
#include "libcorset/library_internal.h"
#include "testing/test.h"

static bool take_all(void *data, const struct corset_object *cluster)
{
    (void)data, (void)cluster;
    return true;
}

static void leave_alone(void *data, struct corset_object *object)
{
    (void)data, (void)object;
}

static void index_nothing(void *data, const struct corset_object *object,
                          struct corset_values *values)
{
    (void)data, (void)object, (void)values;
}

TEST(numbers_of_clusters_become_those_of_the_cache)
{
    const struct corset_clusters_options given = {
        .timeout_ms = 1,
        .qps = 2,
        .burst = 3,
        .concurrency = 4,
        .handshakes = 5,
        .resync_ms = 6,
        .sync_period_ms = 7,
        .retry_ms = 8,
        .probe_ms = 9,
        .probe_timeout_ms = 10,
        .failure_threshold = 11,
        .sync_timeout_ms = 12,
        .fallback_ms = 13,
    };
    SCOPED(arena) arena = {0};
    struct clustercache_options read = {0};
    CHECK_OK(library_clusters_read(&arena, &given, &read));
    CHECK_EQ(read.timeout, 1 * MILLISECOND);
    CHECK(read.qps == 2 && read.burst == 3);
    CHECK_EQ(read.concurrency, (size_t)4);
    CHECK_EQ(read.handshakes, (size_t)5);
    CHECK_EQ(read.resync, 6 * MILLISECOND);
    CHECK_EQ(read.sync_period, 7 * MILLISECOND);
    CHECK_EQ(read.timing.retry, 8 * MILLISECOND);
    CHECK_EQ(read.timing.probe, 9 * MILLISECOND);
    CHECK_EQ(read.timing.probe_timeout, 10 * MILLISECOND);
    CHECK_EQ(read.timing.threshold, (uint32_t)11);
    CHECK_EQ(read.timing.sync_timeout, 12 * MILLISECOND);
    CHECK_EQ(read.timing.fallback, 13 * MILLISECOND);
}

TEST(kinds_of_clusters_become_those_of_the_cache)
{
    const struct corset_cluster_kind uncached[] = {
        {"v1", "Secret"}
    };
    const struct corset_cluster_cache caches[] = {
        {.api_version = "v1",
         .kind = "Pod",
         .name_space = "n",
         .label_selector = "a=b",
         .field_selector = "metadata.name=x",
         .transform = leave_alone}
    };
    const struct corset_cluster_index indexes[] = {
        {.api_version = "v1", .kind = "Node", .name = "i", .values = index_nothing}
    };
    const struct corset_clusters_options given = {
        .watch_filter = "w",
        .filter = take_all,
        .private_keys = true,
        .rest_configs = true,
        .uncached = uncached,
        .uncached_count = COUNT(uncached),
        .caches = caches,
        .cache_count = COUNT(caches),
        .indexes = indexes,
        .index_count = COUNT(indexes),
        .transform = leave_alone,
    };
    SCOPED(arena) arena = {0};
    struct clustercache_options read = {0};
    CHECK_OK(library_clusters_read(&arena, &given, &read));
    CHECK_EQ(read.watch_filter, STR("w"));
    CHECK(read.filter && read.private_keys && read.keep_pem && read.transform);
    CHECK_EQ(read.uncached_count, (size_t)1);
    CHECK_EQ(read.uncached[0].kind, STR("Secret"));
    CHECK_EQ(read.kind_count, (size_t)1);
    CHECK_EQ(read.kinds[0].gvk.kind, STR("Pod"));
    CHECK_EQ(read.kinds[0].options.namespace, STR("n"));
    CHECK_EQ(read.kinds[0].options.label_selector, STR("a=b"));
    CHECK_EQ(read.kinds[0].options.field_selector, STR("metadata.name=x"));
    CHECK(read.kinds[0].options.transform);
    CHECK_EQ(read.index_count, (size_t)1);
    CHECK_EQ(read.indexes[0].name, STR("i"));
}

TEST(options_of_clusters_that_make_no_sense_are_refused)
{
    const struct corset_cluster_kind no_kind = {.api_version = "v1"};
    const struct corset_cluster_index no_values = {
        .api_version = "v1", .kind = "Node", .name = "i"};
    const struct corset_clusters_options uncached = {.uncached = &no_kind, .uncached_count = 1};
    const struct corset_clusters_options index = {.indexes = &no_values, .index_count = 1};
    SCOPED(arena) arena = {0};
    struct clustercache_options read = {0};
    CHECK_FAILS(library_clusters_read(&arena, &uncached, &read), ERROR_INVALID,
                "clusters.uncached 0");
    CHECK_FAILS(library_clusters_read(&arena, &index, &read), ERROR_INVALID, "clusters.indexes 0");
}
