#include "http/server.h"
#include "scenarios/clustercache/cc_fixture.h"

SIM_TEST(cc_19_one_probe_after_ten_seconds)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(buf_str(&fixture.asked), STR("GET /?timeout=5s\n"));
    CHECK_EQ(buf_str(&fixture.agent), STR("test/1"));
    CHECK_EQ(buf_str(&fixture.accept), STR("application/json, */*"));
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 0U);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_HEALTHY), "1");
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_SUCCESS), "1");
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_ERROR), "-");
    CHECK(cc_fixture_logged(&fixture, "\"Health probe succeeded\""));
    CHECK(cc_fixture_logged(&fixture, "(health probe succeeded)"));
}

SIM_TEST(cc_20_a_failed_probe_is_counted)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    fixture.status = 400;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 1U);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_HEALTHY), "0");
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_ERROR), "1");
    CHECK(
        cc_fixture_logged(&fixture, "Health probe failed (1/5): the server rejected our request"));
    CHECK(!cc_fixture_logged(&fixture, "(health probe succeeded)"));
}

static void note_event(void *data, const struct object *cluster, struct queue *queue, int priority)
{
    (void)queue;
    CHECK_EQ(object_name(cluster), STR("c"));
    CHECK_EQ(priority, 0);
    ++*(size_t *)data;
}

SIM_TEST(cc_21_five_failures_in_a_row_end_the_connection)
{
    SCOPED(cc_fixture) fixture;
    size_t events = 0;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    clustercache_add_source(fixture.cache,
                            &(struct clustercache_source){.map = note_event, .data = &events});
    cc_fixture_connect(&fixture);
    CHECK_EQ(events, (size_t)1);
    fixture.status = 400;
    for (uint32_t i = 1; i < 5; i++) {
        cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
        CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, i);
    }
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 30 * SECOND);
    CHECK(!cc_fixture_is_connected(&fixture));
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 5U);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_UP), "0");
    CHECK_EQ(events, (size_t)2);
    CHECK(cc_fixture_logged(&fixture,
                            "Requeuing after 30s (disconnected after consecutive failure threshold "
                            "met)"));
    TEST_CASE("an event in between connects at once, and failures go on counting");
    fixture.status = 500;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, SECOND), 30 * SECOND);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 6U);
    CHECK_EQ(events, (size_t)2);
    fixture.status = 0;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 30 * SECOND), 10 * SECOND);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 0U);
    CHECK_EQ(events, (size_t)3);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_HEALTHY), "0");
}

SIM_TEST(cc_22_a_401_reconnects_at_once)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    fixture.status = 401;
    CHECK_EQ(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    CHECK(!cc_fixture_is_connected(&fixture));
    CHECK_EQ(clustercache_count(fixture.cache), (size_t)1);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 1U);
    CHECK(cc_fixture_logged(&fixture,
                            "Requeuing immediately (disconnected after unauthorized error"));
    CHECK(cc_fixture_logged(&fixture,
                            "Health probe failed (unauthorized error occurred): the server has "));
    fixture.status = 0;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, MILLISECOND), 10 * SECOND);
    CHECK(cc_fixture_is_connected(&fixture));
    TEST_CASE("also in the loop of the controller");
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(15 * SECOND));
    cc_fixture_forget(&fixture);
    fixture.status = 401;
    CHECK_OK(fiber_sleep(10 * SECOND));
    fixture.status = 0;
    CHECK(cc_fixture_count(&fixture, "GET /?timeout=5s\n") >= 2);
}

SIM_TEST(cc_22_a_401_wins_over_too_many_failures)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    fixture.status = 400;
    for (int i = 0; i < 4; i++)
        cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    fixture.status = 401;
    CHECK_EQ(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 5U);
}

SIM_TEST(cc_23_what_is_not_connected_is_not_probed)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_cluster(&fixture, "c", false);
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    accessor_start_probe(cc_fixture_accessor(&fixture));
    CHECK(!cc_fixture_accessor(&fixture)->is_probing);
    CHECK(cc_fixture_logged(&fixture, "\"Skipping health check, not connected\""));
    CHECK_EQ(fixture.asked.len, (size_t)0);
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)0);
}

SIM_TEST(cc_24_a_success_clears_failures)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    fixture.status = 500;
    for (int i = 0; i < 4; i++)
        cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 4U);
    fixture.status = 0;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    const struct clustercache_health health =
        clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    CHECK_EQ(health.failures, 0U);
    CHECK_EQ(health.last_probe, health.last_success);
}

SIM_TEST(cc_25_a_recent_probe_is_not_repeated)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 4 * SECOND), 6 * SECOND);
    CHECK_EQ(fixture.asked.len, (size_t)0);
    CHECK(cc_fixture_logged(&fixture, "as health probe was already run within the last 10s"));
}

SIM_TEST(a_server_that_accepts_and_never_answers_is_given_up)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK(cc_fixture_is_connected(&fixture));
    fixture.hangs = true;
    const int64_t begun = loop_now(loop_current());
    while (cc_fixture_is_connected(&fixture))
        CHECK_OK(fiber_sleep(SECOND));
    const duration took = loop_now(loop_current()) - begun;
    CHECK(took > 60 * SECOND && took <= 76 * SECOND);
    TEST_CASE("and comes back when it answers again");
    fixture.hangs = false;
    CHECK_OK(fiber_sleep(45 * SECOND));
    CHECK(cc_fixture_is_connected(&fixture));
}

SIM_TEST(a_server_that_refuses_connections_is_given_up)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(5 * SECOND));
    http_server_free(TAKE(fixture.proxies[0].server));
    const int64_t begun = loop_now(loop_current());
    while (cc_fixture_is_connected(&fixture))
        CHECK_OK(fiber_sleep(SECOND));
    const duration took = loop_now(loop_current()) - begun;
    CHECK(took > 40 * SECOND && took <= 76 * SECOND);
}

SIM_TEST(cc_52_metrics_are_named_and_ordered_as_dashboards_expect)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(buf) text = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    fixture.status = 400;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    metrics_write(fixture.metrics, &text);
    CHECK_CONTAINS(
        buf_str(&text),
        STR("# HELP capi_cluster_cache_connection_up Whether the connection to the cluster is "
            "up.\n# TYPE capi_cluster_cache_connection_up gauge\n" CC_FIXTURE_UP " 1\n"));
    CHECK_CONTAINS(
        buf_str(&text),
        STR("# HELP capi_cluster_cache_healthcheck Result of the last clustercache healthcheck "
            "for a cluster.\n# TYPE capi_cluster_cache_healthcheck gauge\n" CC_FIXTURE_HEALTHY
            " 0\n"));
    CHECK_CONTAINS(
        buf_str(&text),
        STR("# HELP capi_cluster_cache_healthchecks_total Results of all clustercache "
            "healthchecks.\n# TYPE capi_cluster_cache_healthchecks_total counter\n" CC_FIXTURE_ERROR
            " 1\n" CC_FIXTURE_SUCCESS " 1\n"));
}

SIM_TEST(the_lateness_of_probes_is_that_of_clusters_that_answer)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(cc_fixture_metric(&fixture, "corset_probe_lateness_seconds_bucket{le=\"0.001\"}"),
             "1");
    TEST_CASE("30 ms late");
    fixture.status = 400;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND + 30 * MILLISECOND),
                           10 * SECOND);
    CHECK_EQ(cc_fixture_metric(&fixture, "corset_probe_lateness_seconds_bucket{le=\"0.025\"}"),
             "1");
    CHECK_EQ(cc_fixture_metric(&fixture, "corset_probe_lateness_seconds_bucket{le=\"0.05\"}"), "2");
    TEST_CASE("a cluster that failed does not count");
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 11 * SECOND), 10 * SECOND);
    CHECK_EQ(cc_fixture_metric(&fixture, "corset_probe_lateness_seconds_count"), "2");
}
