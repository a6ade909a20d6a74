#include "http/server.h"
#include "scenarios/clustercache/rig.h"

SIM_TEST(cc_19_one_probe_after_ten_seconds)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(buf_str(&rig.asked), STR("GET /?timeout=5s\n"));
    CHECK_EQ(buf_str(&rig.agent), STR("test/1"));
    CHECK_EQ(buf_str(&rig.accept), STR("application/json, */*"));
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 0U);
    CHECK_EQ(rig_metric(&rig, RIG_HEALTHY), "1");
    CHECK_EQ(rig_metric(&rig, RIG_SUCCESS), "1");
    CHECK_EQ(rig_metric(&rig, RIG_ERROR), "-");
    CHECK(rig_logged(&rig, "\"Health probe succeeded\""));
    CHECK(rig_logged(&rig, "(health probe succeeded)"));
}

SIM_TEST(cc_20_a_failed_probe_is_counted)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig.status = 400;
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 1U);
    CHECK_EQ(rig_metric(&rig, RIG_HEALTHY), "0");
    CHECK_EQ(rig_metric(&rig, RIG_ERROR), "1");
    CHECK(rig_logged(&rig, "Health probe failed (1/5): the server rejected our request"));
    CHECK(!rig_logged(&rig, "(health probe succeeded)"));
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
    SCOPED(rig) rig;
    size_t events = 0;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    clustercache_add_source(rig.cache,
                            &(struct clustercache_source){.map = note_event, .data = &events});
    rig_connect(&rig);
    CHECK_EQ(events, (size_t)1);
    rig.status = 400;
    for (uint32_t i = 1; i < 5; i++) {
        rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
        CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, i);
    }
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 30 * SECOND);
    CHECK(!rig_is_connected(&rig));
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 5U);
    CHECK_EQ(rig_metric(&rig, RIG_UP), "0");
    CHECK_EQ(events, (size_t)2);
    CHECK(rig_logged(&rig, "Requeuing after 30s (disconnected after consecutive failure threshold "
                           "met)"));
    TEST_CASE("an event in between connects at once, and failures go on counting");
    rig.status = 500;
    rig_check_delay(rig_reconcile_after(&rig, SECOND), 30 * SECOND);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 6U);
    CHECK_EQ(events, (size_t)2);
    rig.status = 0;
    rig_check_delay(rig_reconcile_after(&rig, 30 * SECOND), 10 * SECOND);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 0U);
    CHECK_EQ(events, (size_t)3);
    CHECK_EQ(rig_metric(&rig, RIG_HEALTHY), "0");
}

SIM_TEST(cc_22_a_401_reconnects_at_once)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig.status = 401;
    CHECK_EQ(rig_reconcile_after(&rig, 10 * SECOND), MILLISECOND);
    CHECK(!rig_is_connected(&rig));
    CHECK_EQ(clustercache_count(rig.cache), (size_t)1);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 1U);
    CHECK(rig_logged(&rig, "Requeuing immediately (disconnected after unauthorized error"));
    CHECK(rig_logged(&rig, "Health probe failed (unauthorized error occurred): the server has "));
    rig.status = 0;
    rig_check_delay(rig_reconcile_after(&rig, MILLISECOND), 10 * SECOND);
    CHECK(rig_is_connected(&rig));
    TEST_CASE("also in the loop of the controller");
    rig_run(&rig);
    CHECK_OK(fiber_sleep(15 * SECOND));
    rig_forget(&rig);
    rig.status = 401;
    CHECK_OK(fiber_sleep(10 * SECOND));
    rig.status = 0;
    CHECK(rig_count(&rig, "GET /?timeout=5s\n") >= 2);
}

SIM_TEST(cc_22_a_401_wins_over_too_many_failures)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig.status = 400;
    for (int i = 0; i < 4; i++)
        rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    rig.status = 401;
    CHECK_EQ(rig_reconcile_after(&rig, 10 * SECOND), MILLISECOND);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 5U);
}

SIM_TEST(cc_23_what_is_not_connected_is_not_probed)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_cluster(&rig, "c", false);
    CHECK_EQ(rig_reconcile(&rig), 0);
    accessor_start_probe(rig_accessor(&rig));
    CHECK(!rig_accessor(&rig)->is_probing);
    CHECK(rig_logged(&rig, "\"Skipping health check, not connected\""));
    CHECK_EQ(rig.asked.len, (size_t)0);
    CHECK_EQ(rig_series(&rig), (size_t)0);
}

SIM_TEST(cc_24_a_success_clears_failures)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig.status = 500;
    for (int i = 0; i < 4; i++)
        rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 4U);
    rig.status = 0;
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    const struct clustercache_health health = clustercache_get_health(rig.cache, RIG_KEY);
    CHECK_EQ(health.failures, 0U);
    CHECK_EQ(health.last_probe, health.last_success);
}

SIM_TEST(cc_25_a_recent_probe_is_not_repeated)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig_check_delay(rig_reconcile_after(&rig, 4 * SECOND), 6 * SECOND);
    CHECK_EQ(rig.asked.len, (size_t)0);
    CHECK(rig_logged(&rig, "as health probe was already run within the last 10s"));
}

SIM_TEST(a_server_that_accepts_and_never_answers_is_given_up)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_ready(&rig);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK(rig_is_connected(&rig));
    rig.hangs = true;
    const int64_t begun = loop_now(loop_current());
    while (rig_is_connected(&rig))
        CHECK_OK(fiber_sleep(SECOND));
    const duration took = loop_now(loop_current()) - begun;
    CHECK(took > 60 * SECOND && took <= 76 * SECOND);
    TEST_CASE("and comes back when it answers again");
    rig.hangs = false;
    CHECK_OK(fiber_sleep(45 * SECOND));
    CHECK(rig_is_connected(&rig));
}

SIM_TEST(a_server_that_refuses_connections_is_given_up)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_ready(&rig);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(5 * SECOND));
    http_server_free(TAKE(rig.proxies[0].server));
    const int64_t begun = loop_now(loop_current());
    while (rig_is_connected(&rig))
        CHECK_OK(fiber_sleep(SECOND));
    const duration took = loop_now(loop_current()) - begun;
    CHECK(took > 40 * SECOND && took <= 76 * SECOND);
}

SIM_TEST(cc_52_metrics_are_named_and_ordered_as_dashboards_expect)
{
    SCOPED(rig) rig;
    SCOPED(buf) text = {0};
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    rig.status = 400;
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    metrics_write(rig.metrics, &text);
    CHECK_CONTAINS(
        buf_str(&text),
        STR("# HELP capi_cluster_cache_connection_up Whether the connection to the cluster is "
            "up.\n# TYPE capi_cluster_cache_connection_up gauge\n" RIG_UP " 1\n"));
    CHECK_CONTAINS(
        buf_str(&text),
        STR("# HELP capi_cluster_cache_healthcheck Result of the last clustercache healthcheck "
            "for a cluster.\n# TYPE capi_cluster_cache_healthcheck gauge\n" RIG_HEALTHY " 0\n"));
    CHECK_CONTAINS(
        buf_str(&text),
        STR("# HELP capi_cluster_cache_healthchecks_total Results of all clustercache "
            "healthchecks.\n# TYPE capi_cluster_cache_healthchecks_total counter\n" RIG_ERROR
            " 1\n" RIG_SUCCESS " 1\n"));
}
