#include <stdlib.h>

#include "scenarios/clustercache/cc_fixture.h"

SIM_TEST(cc_01_secrets_are_required)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.secrets = NULL;
    options.user_agent = STR("");
    CHECK_FAILS(clustercache_new(loop_current(), &options, &fixture.cache), ERROR_INVALID,
                "options.SecretClient must be set");
}

SIM_TEST(cc_02_a_user_agent_is_required)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.user_agent = STR("");
    CHECK_FAILS(clustercache_new(loop_current(), &options, &fixture.cache), ERROR_INVALID,
                "options.Client.UserAgent must be set");
}

SIM_TEST(cc_03_defaults_stand_behind_zero)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    const struct clustercache_options *seen = &fixture.cache->config->options;
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
    clustercache_free(TAKE(fixture.cache));

    struct clustercache_options options = cc_fixture_options(&fixture);
    options.timeout = 3 * SECOND;
    options.qps = 50;
    options.burst = 60;
    options.transform = cache_drop_managed_fields;
    cc_fixture_start(&fixture, &options);
    seen = &fixture.cache->config->options;
    CHECK_EQ(seen->timeout, 3 * SECOND);
    CHECK_EQ(seen->qps, 50.0);
    CHECK_EQ(seen->burst, 60.0);
    CHECK(seen->transform == cache_drop_managed_fields);
}

SIM_TEST(cc_04_pod_metadata_from_the_environment)
{
    static const char *const names[] = {"POD_NAMESPACE", "POD_NAME", "POD_UID"};
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    for (size_t empty = 0; empty <= COUNT(names); empty++) {
        TEST_CASE("%s is empty", empty < COUNT(names) ? names[empty] : "none");
        for (size_t i = 0; i < COUNT(names); i++)
            setenv(names[i], i == empty ? "" : "x", 1); /* NOLINT(concurrency-mt-unsafe) */
        cc_fixture_forget(&fixture);
        cc_fixture_start(&fixture, NULL);
        CHECK_EQ(cc_fixture_logged(&fixture,
                                   "Found controller Pod metadata, the ClusterCache will try to "
                                   "access the cluster it is running on directly if possible"),
                 empty == COUNT(names));
        CHECK_EQ(cc_fixture_logged(&fixture,
                                   "Couldn't find controller Pod metadata, the ClusterCache will "
                                   "always access the cluster it is running on using the regular "
                                   "apiserver endpoint"),
                 empty < COUNT(names));
        cc_fixture_ready(&fixture);
        cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
        CHECK_EQ(cc_fixture_count(&fixture, "/pods/"), (size_t)(empty == COUNT(names)));
        clustercache_free(TAKE(fixture.cache));
    }
}

static bool passes(void *data, const struct object *cluster)
{
    (void)cluster;
    return *(bool *)data;
}

SIM_TEST(cc_31_a_cluster_that_is_filtered_out_is_forgotten)
{
    SCOPED(cc_fixture) fixture;
    bool cares = true;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.filter = passes;
    options.filter_data = &cares;
    cc_fixture_start(&fixture, &options);
    cc_fixture_connect(&fixture);
    cares = false;
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK(!cc_fixture_accessor(&fixture));
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)0);
    CHECK(cc_fixture_logged(&fixture, "Cluster filtered out by ClusterFilter, not connecting"));
    CHECK(!cc_fixture_logged(&fixture, "Cluster has been deleted"));
}

SIM_TEST(cc_32_one_that_comes_back_begins_anew)
{
    SCOPED(cc_fixture) fixture;
    bool cares = true;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.filter = passes;
    options.filter_data = &cares;
    cc_fixture_start(&fixture, &options);
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_grow_old(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND); /* no Secret yet */
    cares = false;
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    cares = true;
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 0U);
    CHECK_EQ(cc_fixture_accessor(&fixture)->health.last_connect_error, REQUEUE_NEVER);
}

SIM_TEST(cc_33_the_watch_filter_holds_for_events)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.watch_filter = STR("x");
    cc_fixture_start(&fixture, &options);
    cc_fixture_ready(&fixture);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(clustercache_count(fixture.cache), (size_t)0);
    CHECK_EQ(fixture.asked.len, (size_t)0);
    TEST_CASE("with the label it is seen");
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_CLUSTERS "/c",
                  "{\"metadata\":{\"labels\":{\"cluster.x-k8s.io/watch-filter\":\"x\"}}}");
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_EQ(clustercache_connected(fixture.cache), (size_t)1);
    TEST_CASE("a key that is requeued already goes on without");
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_CLUSTERS "/c", "{\"metadata\":{\"labels\":null}}");
    cc_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(cc_fixture_count(&fixture, "GET /?timeout=5s\n") >= 5);
}

SIM_TEST(cc_53_who_does_not_lead_connects_to_nobody)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    CHECK_OK(fiber_sleep(5 * MINUTE)); /* its controller is not started */
    CHECK_EQ(fixture.asked.len, (size_t)0);
    CHECK_EQ(clustercache_count(fixture.cache), (size_t)0);
    CHECK_ERROR(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED);
    CHECK_ERROR(clustercache_get_reader(fixture.cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED);
}

SIM_TEST(jitter_only_ever_adds)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.timing.jitter = 0; /* the default */
    cc_fixture_start(&fixture, &options);
    cc_fixture_ready(&fixture);
    bool spreads = false;
    for (int i = 0; i < 20; i++) {
        const duration delay =
            i ? cc_fixture_reconcile_after(&fixture, 11 * SECOND) : cc_fixture_reconcile(&fixture);
        CHECK(delay >= 10 * SECOND - 10 * MILLISECOND && delay <= 10500 * MILLISECOND);
        spreads |= delay > 10200 * MILLISECOND;
    }
    CHECK(spreads);
}
