#include <stdlib.h>

#include "scenarios/clustercache/rig.h"

SIM_TEST(cc_01_secrets_are_required)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.secrets = NULL;
    options.user_agent = STR("");
    CHECK_FAILS(clustercache_new(loop_current(), &options, &rig.cache), ERROR_INVALID,
                "options.SecretClient must be set");
}

SIM_TEST(cc_02_a_user_agent_is_required)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.user_agent = STR("");
    CHECK_FAILS(clustercache_new(loop_current(), &options, &rig.cache), ERROR_INVALID,
                "options.Client.UserAgent must be set");
}

SIM_TEST(cc_03_defaults_stand_behind_zero)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    const struct clustercache_options *seen = &rig.cache->config->options;
    CHECK_EQ(seen->timeout, 10 * SECOND);
    CHECK_EQ(seen->qps, 20.0);
    CHECK_EQ(seen->burst, 30.0);
    CHECK(!seen->transform);
    const struct clustercache_timing *timing = &seen->timing;
    CHECK_EQ(timing->retry, 30 * SECOND);
    CHECK_EQ(timing->probe, 10 * SECOND);
    CHECK_EQ(timing->probe_timeout, 5 * SECOND);
    CHECK_EQ(timing->threshold, 5U);
    CHECK_EQ(timing->sync_timeout, 5 * MINUTE);
    CHECK_EQ(timing->fallback, 10 * SECOND);
    CHECK_EQ(timing->unauthorized, MILLISECOND);
    CHECK_EQ(seen->concurrency, (size_t)100);
    clustercache_free(TAKE(rig.cache));

    struct clustercache_options options = rig_options(&rig);
    options.timeout = 3 * SECOND;
    options.qps = 50;
    options.burst = 60;
    options.transform = cache_drop_managed_fields;
    rig_start(&rig, &options);
    seen = &rig.cache->config->options;
    CHECK_EQ(seen->timeout, 3 * SECOND);
    CHECK_EQ(seen->qps, 50.0);
    CHECK_EQ(seen->burst, 60.0);
    CHECK(seen->transform == cache_drop_managed_fields);
}

SIM_TEST(cc_04_pod_metadata_from_the_environment)
{
    static const char *const names[] = {"POD_NAMESPACE", "POD_NAME", "POD_UID"};
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    for (size_t empty = 0; empty <= COUNT(names); empty++) {
        TEST_CASE("%s is empty", empty < COUNT(names) ? names[empty] : "none");
        for (size_t i = 0; i < COUNT(names); i++)
            setenv(names[i], i == empty ? "" : "x", 1); /* NOLINT(concurrency-mt-unsafe) */
        rig_forget(&rig);
        rig_start(&rig, NULL);
        CHECK_EQ(rig_logged(&rig, "Found controller Pod metadata, the ClusterCache will try to "
                                  "access the cluster it is running on directly if possible"),
                 empty == COUNT(names));
        CHECK_EQ(rig_logged(&rig, "Couldn't find controller Pod metadata, the ClusterCache will "
                                  "always access the cluster it is running on using the regular "
                                  "apiserver endpoint"),
                 empty < COUNT(names));
        rig_ready(&rig);
        rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
        CHECK_EQ(rig_count(&rig, "/pods/"), (size_t)(empty == COUNT(names)));
        clustercache_free(TAKE(rig.cache));
    }
}

static bool passes(void *data, const struct object *cluster)
{
    (void)cluster;
    return *(bool *)data;
}

SIM_TEST(cc_31_a_cluster_that_is_filtered_out_is_forgotten)
{
    SCOPED(rig) rig;
    bool cares = true;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.filter = passes;
    options.filter_data = &cares;
    rig_start(&rig, &options);
    rig_connect(&rig);
    cares = false;
    CHECK_EQ(rig_reconcile(&rig), 0);
    CHECK(!rig_accessor(&rig));
    CHECK_EQ(rig_series(&rig), (size_t)0);
    CHECK(rig_logged(&rig, "Cluster filtered out by ClusterFilter, not connecting"));
    CHECK(!rig_logged(&rig, "Cluster has been deleted"));
}

SIM_TEST(cc_32_one_that_comes_back_begins_anew)
{
    SCOPED(rig) rig;
    bool cares = true;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.filter = passes;
    options.filter_data = &cares;
    rig_start(&rig, &options);
    rig_cluster(&rig, "c", true);
    rig_check_delay(rig_reconcile(&rig), 30 * SECOND); /* no Secret yet */
    cares = false;
    CHECK_EQ(rig_reconcile(&rig), 0);
    cares = true;
    rig_credentials(&rig, RIG_HOST, "one");
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 0U);
    CHECK_EQ(rig_accessor(&rig)->health.last_connect_error, REQUEUE_NEVER);
}

SIM_TEST(cc_33_the_watch_filter_holds_for_events)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.watch_filter = STR("x");
    rig_start(&rig, &options);
    rig_ready(&rig);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(clustercache_count(rig.cache), (size_t)0);
    CHECK_EQ(rig.asked.len, (size_t)0);
    TEST_CASE("with the label it is seen");
    rig_do(&rig, "PATCH", RIG_CLUSTERS "/c",
           "{\"metadata\":{\"labels\":{\"cluster.x-k8s.io/watch-filter\":\"x\"}}}");
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_EQ(clustercache_connected(rig.cache), (size_t)1);
    TEST_CASE("a key that is requeued already goes on without");
    rig_do(&rig, "PATCH", RIG_CLUSTERS "/c", "{\"metadata\":{\"labels\":null}}");
    rig_forget(&rig);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(rig_count(&rig, "GET /?timeout=5s\n") >= 5);
}

SIM_TEST(cc_53_who_does_not_lead_connects_to_nobody)
{
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_ready(&rig);
    CHECK_OK(fiber_sleep(5 * MINUTE)); /* its controller is not started */
    CHECK_EQ(rig.asked.len, (size_t)0);
    CHECK_EQ(clustercache_count(rig.cache), (size_t)0);
    CHECK_ERROR(clustercache_get_client(rig.cache, RIG_KEY, &connection), ERROR_NOT_CONNECTED);
    CHECK_ERROR(clustercache_get_reader(rig.cache, RIG_KEY, &connection), ERROR_NOT_CONNECTED);
}

SIM_TEST(jitter_only_ever_adds)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.timing.jitter = 0; /* the default */
    rig_start(&rig, &options);
    rig_ready(&rig);
    bool spreads = false;
    for (int i = 0; i < 20; i++) {
        const duration delay = i ? rig_reconcile_after(&rig, 11 * SECOND) : rig_reconcile(&rig);
        CHECK(delay >= 10 * SECOND - 10 * MILLISECOND && delay <= 10500 * MILLISECOND);
        spreads |= delay > 10200 * MILLISECOND;
    }
    CHECK(spreads);
}
