/* CRS-80: a Cluster with spec.paused gets nothing new. */
#include "scenarios/clusterresourceset/crs_fixture.h"

#define HELD        "nothing new is applied while spec.paused is set"
#define PAUSED      "False/ClusterPaused/Clusters are paused: c1: " HELD
#define TWO_OBJECTS CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1")

static void pause_cluster(struct crs_fixture *fixture, bool is_paused)
{
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   is_paused ? "{\"spec\":{\"paused\":true}}" : "{\"spec\":{\"paused\":null}}");
}

SIM_TEST(crs_80_nothing_new_is_applied_to_a_paused_cluster)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    pause_cluster(&fixture, true);
    crs_fixture_begin_on(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", PAUSED);
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"), STR("False/ClusterPaused/Info/" HELD));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "InProgress"), STR("False/Succeeded/"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Failed"), STR("False/Succeeded/"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    TEST_CASE("taken away, it is served at once");
    const int64_t resumed = loop_now(loop_current());
    pause_cluster(&fixture, false);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_seconds_since(resumed) < 2);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

static void fail_reference(struct crs_fixture *fixture, const char *resource, size_t times)
{
    if (times)
        proxy_fail(&fixture->management,
                   (struct proxy_fault){
                       .method = "PATCH", .part = resource, .times = times, .status = 500});
}

/*
 * That it is over brings no news of the paused Cluster, which is looked at once more because
 * another resource has its reference since.
 */
SIM_TEST(a_reference_that_could_be_written_at_last_is_no_failure_any_more)
{
    for (size_t i = 0; i < 16; i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("cm1 %zu times, s1 %zu times", i % 4, i / 4);
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        pause_cluster(&fixture, true);
        crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
        crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
        fail_reference(&fixture, "/configmaps/cm1", i % 4);
        fail_reference(&fixture, "/secrets/s1", i / 4);
        crs_fixture_start(&fixture, NULL);
        crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
        CHECK_OK(fiber_sleep(2 * MINUTE));
        CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Failed"), STR("False/Succeeded/"));
        CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR(PAUSED));
    }
}

SIM_TEST(crs_80_a_change_waits_while_the_cluster_is_paused)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    pause_cluster(&fixture, true);
    TEST_CASE("what is there is still all that is wanted");
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    TEST_CASE("a change");
    crs_fixture_forget(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", PAUSED);
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
    CHECK_EQ(proxy_count(&fixture.management, "/clusterresourcesetbindings"), 0);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
    TEST_CASE("it is taken back");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True/Applied/");
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
    TEST_CASE("it comes after all, and the cluster goes on");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "3"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", PAUSED);
    pause_cluster(&fixture, false);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("3"));
}

/* A restarted process finds the Cluster paused from the beginning. */
SIM_TEST(crs_80_a_pause_outlives_the_process)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_stop(&fixture);
    pause_cluster(&fixture, true);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", PAUSED);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps"), 0);
    pause_cluster(&fixture, false);
    crs_fixture_await_applied(&fixture, "crs1");
}

/* Pauses the Cluster as soon as the first object arrives. The request is given up meanwhile. */
static void pause_at_first_post(struct proxy *proxy, struct str method, struct str target)
{
    struct crs_fixture *fixture = proxy->data;
    if (!str_eq(method, STR("POST")) || !str_contains(target, STR("/configmaps")))
        return;
    proxy->on_request = NULL;
    pause_cluster(fixture, true);
    OWNED(error) gone = fiber_sleep(SECOND);
    CHECK(gone);
}

SIM_TEST(crs_80_a_pause_stops_what_is_under_way)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    fixture.workloads[0].on_request = pause_at_first_post;
    fixture.workloads[0].data = &fixture;
    crs_fixture_map(&fixture, "cm1", TWO_OBJECTS);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 ConfigMap/cm2");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", PAUSED);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "c")));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    pause_cluster(&fixture, false);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "c")));
}

/* What a deletion changes is in the management cluster alone: a pause does not hold it up. */
SIM_TEST(crs_80_sets_and_paused_clusters_can_be_deleted)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs2");
    pause_cluster(&fixture, true);
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SETS "/crs2", NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SETS "/crs2");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs2"), STR("-"));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDING);
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
}

/* The set is closed, and still says for how many clusters a change waits. */
SIM_TEST(a_paused_set_counts_the_clusters_that_come)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}");
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_cluster(&fixture, 2);
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "Paused"),
                   STR("a change waits for 1 of 2 clusters"));
}
