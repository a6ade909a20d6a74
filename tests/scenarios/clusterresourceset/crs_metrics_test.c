/* The metrics about sets and clusters say what is where. */
#include "scenarios/clusterresourceset/crs_fixture.h"

static double on_clusters(struct crs_fixture *fixture, const char *state)
{
    SCOPED(buf) series = {0};
    buf_print(&series, "corset_set_clusters{namespace=\"ns\",set=\"crs1\",state=\"%s\"}", state);
    return crs_fixture_metric(fixture, buf_c(&series));
}

static double clusters(struct crs_fixture *fixture, const char *state)
{
    SCOPED(buf) series = {0};
    buf_print(&series, "corset_cluster_state{state=\"%s\"}", state);
    return crs_fixture_metric(fixture, buf_c(&series));
}

static double failure_age(struct crs_fixture *fixture)
{
    return crs_fixture_metric(fixture,
                              "corset_set_failure_age_seconds{namespace=\"ns\",set=\"crs1\"}");
}

/* A host does not answer any more, on open connections either. */
static void vanish(struct crs_fixture *fixture, const char *host, bool vanishes)
{
    sim_network_set_faults(fixture->apiserver.network, str_from_c(host),
                           &(struct sim_faults){.black_hole = vanishes});
}

SIM_TEST(metrics_count_the_clusters_of_a_set_by_state)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c2.test", true);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_cluster_as(&fixture, "ns", 3, "\"cni\":\"none\"", "");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    crs_fixture_start(&fixture, NULL);
    CHECK_EQ(clusters(&fixture, "unreachable"), 0.0); /* nothing is known without sets */
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED
                                ": 2 of 2 clusters failed");
    CHECK_EQ(on_clusters(&fixture, "failed"), 1.0);
    CHECK_EQ(on_clusters(&fixture, "unreachable"), 1.0);
    CHECK_EQ(on_clusters(&fixture, "applied"), 0.0);
    CHECK_EQ(clusters(&fixture, "failed"), 1.0);
    CHECK_EQ(clusters(&fixture, "unreachable"), 1.0);
    CHECK_EQ(clusters(&fixture, "idle"), 1.0);
    CHECK_OK(fiber_sleep(20 * MINUTE));
    CHECK(failure_age(&fixture) >= 20 * 60 && failure_age(&fixture) < 21 * 60);

    TEST_CASE("all is well");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_refuse(&fixture, "c2.test", false);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(on_clusters(&fixture, "applied"), 2.0);
    CHECK_EQ(on_clusters(&fixture, "failed") + on_clusters(&fixture, "unreachable"), 0.0);
    CHECK_EQ(clusters(&fixture, "applied"), 2.0);
    CHECK_EQ(failure_age(&fixture), 0.0);

    TEST_CASE("a cluster dies after everything was applied");
    vanish(&fixture, "c1.test", true);
    vanish(&fixture, "c3.test", true);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(on_clusters(&fixture, "unreachable"), 1.0);
    CHECK_EQ(clusters(&fixture, "unreachable"), 2.0);
    CHECK_EQ(clusters(&fixture, "idle"), 0.0);
    vanish(&fixture, "c1.test", false);
    vanish(&fixture, "c3.test", false);

    TEST_CASE("a Cluster is paused, connected or not");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":true}}");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/ClusterPaused/");
    CHECK_EQ(on_clusters(&fixture, "paused"), 1.0);
    CHECK_EQ(on_clusters(&fixture, "applied"), 1.0);
    CHECK_EQ(clusters(&fixture, "paused"), 1.0);
    CHECK_OK(fiber_sleep(20 * MINUTE));
    CHECK_EQ(failure_age(&fixture), 0.0);
    vanish(&fixture, "c1.test", true);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(on_clusters(&fixture, "paused"), 1.0);
    CHECK_EQ(clusters(&fixture, "unreachable"), 0.0);
    vanish(&fixture, "c1.test", false);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":null}}");
    crs_fixture_await_applied(&fixture, "crs1");

    TEST_CASE("the set is paused, then gone");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}");
    crs_fixture_await_condition(&fixture, "crs1", "Paused", "True");
    CHECK_EQ(on_clusters(&fixture, "paused"), 2.0);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(on_clusters(&fixture, "paused"), 0.0);
    CHECK_EQ(clusters(&fixture, "idle"), 0.0);
}
