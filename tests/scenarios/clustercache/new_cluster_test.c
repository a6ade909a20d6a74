/* Clusters that come up while the controller runs: connected as soon as they can be. */
#include "base/log.h"
#include "scenarios/clustercache/cc_fixture.h"
#include "testing/sim_network.h"

#define FLEET 100

/* The controller runs, and default/c is there without a Secret. */
static void begin(struct cc_fixture *fixture)
{
    cc_fixture_init(fixture, 1);
    cc_fixture_start(fixture, NULL);
    cc_fixture_run(fixture);
    cc_fixture_cluster(fixture, "c", true);
}

static void initialize(struct cc_fixture *fixture)
{
    cc_fixture_do(fixture, "PATCH", CC_FIXTURE_CLUSTERS "/c",
                  "{\"status\":{\"initialization\":{\"controlPlaneInitialized\":true}}}");
}

SIM_TEST(a_secret_that_comes_later_connects_at_once)
{
    SCOPED(cc_fixture) fixture;
    begin(&fixture);
    CHECK_OK(fiber_sleep(3 * MINUTE)); /* it is not new any more */
    CHECK(cc_fixture_logged(&fixture, "\\\"c-kubeconfig\\\" not found"));
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one"); /* settles for 100 ms */
    CHECK(cc_fixture_is_connected(&fixture));
}

SIM_TEST(a_secret_that_comes_right_behind_its_cluster_connects_at_once)
{
    SCOPED(cc_fixture) fixture;
    begin(&fixture);
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    CHECK(cc_fixture_is_connected(&fixture));
}

SIM_TEST(another_kubeconfig_is_tried_at_once)
{
    SCOPED(cc_fixture) fixture;
    begin(&fixture);
    cc_fixture_credentials(&fixture, "http://nowhere.test", "one");
    CHECK_OK(fiber_sleep(3 * MINUTE));
    CHECK(!cc_fixture_is_connected(&fixture));
    TEST_CASE("but not for another label of the Secret");
    const uint32_t failures = clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures;
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_SECRETS "/c-kubeconfig",
                  "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    cc_fixture_settle();
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, failures);
    TEST_CASE("nor for one without a value");
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_SECRETS "/c-kubeconfig",
                  "{\"data\":{\"value\":null,\"a\":\"YQ==\"}}");
    cc_fixture_settle();
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, failures);
    TEST_CASE("with another kubeconfig");
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    CHECK(cc_fixture_is_connected(&fixture));
}

SIM_TEST(an_initialized_control_plane_is_tried_at_once)
{
    SCOPED(cc_fixture) fixture;
    begin(&fixture);
    fixture.status = 503;
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    CHECK_OK(fiber_sleep(3 * MINUTE));
    CHECK(!cc_fixture_is_connected(&fixture));
    fixture.status = 0;
    initialize(&fixture);
    cc_fixture_settle();
    CHECK(cc_fixture_is_connected(&fixture));
}

SIM_TEST(a_lost_cluster_with_another_kubeconfig_is_tried_at_once)
{
    SCOPED(cc_fixture) fixture;
    begin(&fixture);
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    fixture.status = 503;
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK(!cc_fixture_is_connected(&fixture));
    fixture.status = 0;
    cc_fixture_credentials(&fixture, CC_FIXTURE_OTHER, "one");
    CHECK(cc_fixture_is_connected(&fixture));
}

/* The failures that follow an attempt, each with its delay. */
static void check_delays(struct cc_fixture *fixture, const duration *delays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TEST_CASE("attempt %zu", i + 2);
        cc_fixture_check_delay(cc_fixture_reconcile_after(fixture, i ? delays[i - 1] : 0),
                               delays[i]);
    }
}

SIM_TEST(a_new_cluster_is_tried_often_for_two_minutes)
{
    static const duration delays[] = {
        SECOND,      2 * SECOND,  4 * SECOND,  8 * SECOND,  15 * SECOND, 15 * SECOND,
        15 * SECOND, 15 * SECOND, 15 * SECOND, 15 * SECOND, 15 * SECOND, 30 * SECOND,
    };
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    fixture.status = 503;
    TEST_CASE("which begin when the infrastructure is provisioned");
    cc_fixture_cluster(&fixture, "c", false);
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    cc_fixture_cluster(&fixture, "c", true);
    check_delays(&fixture, delays, COUNT(delays));
    TEST_CASE("and end with the first connect");
    fixture.status = 0;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 30 * SECOND), 10 * SECOND);
}

SIM_TEST(a_cluster_that_was_connected_is_not_new)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    fixture.status = 401; /* the probe says so, and then the connect */
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
}

SIM_TEST(news_begin_the_attempts_anew)
{
    static const duration first[] = {SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND};
    static const duration second[] = {SECOND, 2 * SECOND};
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    fixture.status = 503;
    cc_fixture_cluster(&fixture, "c", true);
    check_delays(&fixture, first, COUNT(first));
    initialize(&fixture);
    cc_fixture_settle();
    check_delays(&fixture, second, COUNT(second));
}

/* How long after a server begins to listen its cluster is connected. */
static duration connect_delay(struct cc_fixture *fixture, const struct sim_faults *before,
                              duration silence)
{
    const struct str host = STR("workload.test");
    begin(fixture);
    struct network *network = fixture->apiserver.network;
    sim_network_set_faults(network, host, before);
    cc_fixture_credentials(fixture, CC_FIXTURE_HOST, "one");
    CHECK_OK(fiber_sleep(silence));
    CHECK(!cc_fixture_is_connected(fixture));
    sim_network_set_faults(network, host, &(struct sim_faults){0});
    const int64_t begun = loop_now(loop_current());
    while (!cc_fixture_is_connected(fixture))
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    return loop_now(loop_current()) - begun;
}

/* Nobody announces it; between two attempts the pauses reach 15 s. */
SIM_TEST(a_new_cluster_that_refused_is_connected_when_it_listens)
{
    for (int seconds = 1; seconds < 119; seconds += 13) {
        SCOPED(cc_fixture) fixture;
        TEST_CASE("after %d s", seconds);
        const duration took = connect_delay(&fixture, &(struct sim_faults){.refuse = true},
                                            seconds * SECOND + 137 * MILLISECOND);
        CHECK(took <= SECOND + 200 * MILLISECOND);
    }
}

SIM_TEST(a_cluster_that_is_not_new_any_more_is_tried_every_30_s)
{
    SCOPED(cc_fixture) fixture;
    const duration took =
        connect_delay(&fixture, &(struct sim_faults){.refuse = true}, 2 * MINUTE + 20 * SECOND);
    CHECK(took > 2 * SECOND && took < 31 * SECOND);
}

/* A fleet that comes up within a minute, each API some seconds behind its Cluster. */
SIM_TEST(a_hundred_new_clusters_are_connected_as_they_answer)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, FLEET);
    log_set_level(0);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_run(&fixture);
    for (size_t i = 0; i < FLEET; i++) {
        char name[16];
        SCOPED(buf) kubeconfig = {0};
        (void)snprintf(name, sizeof(name), "c%zu", i);
        cc_fixture_cluster(&fixture, name, true);
        CHECK_OK(fiber_sleep(i % 7 * 60 * MILLISECOND));
        cc_fixture_tls_kubeconfig(&fixture, i, NULL, &kubeconfig);
        cc_fixture_secret(&fixture, name, buf_c(&kubeconfig)); /* settles for 100 ms */
        CHECK_EQ(clustercache_connected(fixture.cache), i + 1);
    }
}
