/* Rollouts that go on in another process, whose caches may be behind those of the one before. */
#include "scenarios/clusterresourceset/rollout_fixture.h"
#include "scenarios/clusterresourceset/second_process.h"

#define TWO_AT_A_TIME "{\"name\":\"all\",\"atATime\":2}"
#define HELD(paused)  "{\"spec\":{\"paused\":" paused "}}"

static void pause_cluster(struct crs_fixture *fixture, const char *target, bool is_paused)
{
    crs_fixture_do(fixture, "PATCH", target, is_paused ? HELD("true") : HELD("null"));
}

/* Applies to a workload cluster take for ever from now on. */
static void hang_applies(struct proxy *workload)
{
    proxy_fail(workload, (struct proxy_fault){
                             .method = "PATCH", .part = "configmaps", .times = 100, .hangs = true});
}

/*
 * The caches of the standby end before the rollout. Meanwhile c1 and c2 were paused, so that the
 * leader gave both slots to c3 and c4, which are unfinished. When the standby leads, c1 and c2 are
 * free again, and must not begin.
 */
SIM_TEST(a_leader_that_knows_old_records_exceeds_no_limit)
{
    const struct controller_manager_options elected = {.leader_elect = true};
    SCOPED(crs_fixture) fixture;
    SCOPED(proxy) slow = {0};
    SCOPED(second_process) standby = {0};
    rollout_fixture_begin(&fixture, "----");
    rollout_fixture_turn_on(&fixture, ROLLOUT_FIXTURE_POLICY(TWO_AT_A_TIME, ""));
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, &elected);
    CHECK_OK(fiber_sleep(MINUTE));
    slow.behind = fixture.management.behind;
    buf_add(&slow.token, buf_str(&fixture.management.token));
    proxy_open(&slow, fixture.apiserver.network, STR("standby.test"));
    struct rest_config config = fixture.config;
    config.server.host = STR("standby.test");
    config.host = STR("http://standby.test");
    second_process_start(
        &standby, &fixture,
        &(struct controller_manager_options){.leader_elect = true, .config = &config});
    CHECK_OK(fiber_sleep(MINUTE));

    slow.holds_watches = true;
    pause_cluster(&fixture, CRS_FIXTURE_OWNERS "/c1", true);
    pause_cluster(&fixture, CRS_FIXTURE_OWNERS "/c2", true);
    for (size_t i = 1; i < CRS_FIXTURE_CLUSTERS; i++)
        hang_applies(&fixture.workloads[i]);
    rollout_fixture_change(&fixture, ROLLOUT_FIXTURE_TEXT("2"));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(rollout_fixture_count(&fixture, 3, 4, "Applying"), (size_t)2);
    crs_fixture_stop(&fixture);
    pause_cluster(&fixture, CRS_FIXTURE_OWNERS "/c1", false);
    pause_cluster(&fixture, CRS_FIXTURE_OWNERS "/c2", false);

    TEST_CASE("the standby leads");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK(proxy_count(&slow, "PATCH ") > 0);
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 2, "Applying"), (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 0);
}
