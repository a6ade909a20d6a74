#include "clustercache/rig.h"

SIM_TEST(cc_07_connects)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_ready(&rig);
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(rig_metric(&rig, "capi_cluster_cache_connection_up{cluster_name=\"c\","
                              "cluster_namespace=\"default\"}"),
             "1");
    CHECK_EQ(rig_series(&rig), 1);
    const struct clustercache_health health = clustercache_get_health(rig.cache, RIG_KEY);
    CHECK(health.last_probe > 0 && health.last_probe == health.last_success);
    CHECK(health.last_probe_wall > SIM_EPOCH);
    CHECK_EQ(health.failures, 0U);
    CHECK(rig_logged(&rig, "\"Connected\""));
    CHECK(rig_logged(&rig, "duration="));
    TEST_CASE("what the server sees");
    CHECK_EQ(buf_str(&rig.asked), STR("GET /?timeout=5s\nGET /api?timeout=10s\nGET "
                                      "/apis?timeout=10s\n"));
}
