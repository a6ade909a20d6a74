/* What work costs: who is asked how often, and who waits for whom. */
#include <stdint.h>

#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define BOTH "ConfigMap/cm1 true hash, Secret/s1 true hash"

SIM_TEST(a_content_is_fetched_once_for_all_clusters)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_cluster(&fixture, 3);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_MAP), 1);
    crs_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_MAP), 1);
    CHECK_OK(fiber_sleep(5 * SECOND));
    crs_fixture_forget(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k", "2");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("3", "a"), "data.k", "2");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_MAP), 1);
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_SECRET), 0);
}

/* What a set found good is not read again before it is changed: the write says what it is for. */
SIM_TEST(a_content_that_changes_costs_one_write_of_each_binding)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_OK(fiber_sleep(5 * SECOND));
    crs_fixture_forget(&fixture);
    TEST_CASE("of one set");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k", "2");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_BINDINGS), 0);
    CHECK_EQ(proxy_count(&fixture.management, "PATCH " CRS_FIXTURE_BINDINGS), 2);
    TEST_CASE("of both at once");
    crs_fixture_forget(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "3"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "3"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "3");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "c"), "data.k", "3");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_BINDINGS), 0);
    CHECK_EQ(proxy_count(&fixture.management, "PATCH " CRS_FIXTURE_BINDINGS), 4);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs2"), STR("ConfigMap/cm2 true hash"));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
}

SIM_TEST(the_event_of_a_cluster_touches_that_cluster_alone)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_cluster_as(&fixture, "ns", 3, "", "");
    CHECK_OK(fiber_sleep(5 * SECOND));
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c3",
                   "{\"metadata\":{\"labels\":{" CRS_FIXTURE_LABELS "}}}");
    crs_fixture_await_entry(&fixture, "c3", "crs1", BOTH);
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(proxy_count(&fixture.workloads[0], ""), 0);
    CHECK_EQ(proxy_count(&fixture.workloads[1], ""), 0);
    CHECK_EQ(proxy_count(&fixture.management, "GET "), 0);
    CHECK_EQ(proxy_count(&fixture.management, "/clusterresourcesetbindings"),
             2); /* made, written */
    CHECK_EQ(proxy_count(&fixture.management, "/configmaps"), 0);
    TEST_CASE("what means nothing to sets");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c3/status",
                   "{\"status\":{\"phase\":\"Ready\"}}");
    crs_fixture_check_quiet(&fixture, MINUTE);
}

/* A request that hangs takes its own time, and the others' clusters none of it. */
SIM_TEST(a_cluster_that_hangs_holds_up_nobody)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_cluster(&fixture, 3);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(5 * SECOND));
    proxy_fail(&fixture.workloads[1],
               (struct proxy_fault){"POST", "/configmaps", SIZE_MAX, .hangs = true});
    const int64_t begun = loop_now(loop_current());
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_entry(&fixture, "c1", "crs1", "ConfigMap/cm1 true hash");
    crs_fixture_await_entry(&fixture, "c3", "crs1", "ConfigMap/cm1 true hash");
    CHECK(crs_fixture_seconds_since(begun) < 1);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("-"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "InProgress"),
             STR("True/newGeneration/New generation detected"));
    TEST_CASE("another set, meanwhile");
    crs_fixture_set_as(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm2",
                       "{\"matchExpressions\":[{\"key\":\"cni\",\"operator\":\"Exists\"}]}", "");
    crs_fixture_await_entry(&fixture, "c1", "crs2", "ConfigMap/cm2 true hash");
    CHECK(crs_fixture_seconds_since(begun) < 2);
    TEST_CASE("it is told");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED
                                ": 1 of 3 clusters failed: c2");
    TEST_CASE("it recovers");
    fixture.workloads[1].faults[0].times = 0;
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_await_applied(&fixture, "crs2");
}

/* Sets of one binding do not get in each other's way. */
SIM_TEST(sets_that_begin_at_once_share_a_binding)
{
    static const char *const names[] = {"crs1", "crs2", "crs3", "crs4", "crs5", "crs6"};
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    for (size_t i = 0; i < COUNT(names); i++)
        crs_fixture_set(&fixture, names[i], "Reconcile", "ConfigMap/cm1");
    crs_fixture_start(&fixture, NULL);
    for (size_t i = 0; i < COUNT(names); i++) {
        crs_fixture_await_applied(&fixture, names[i]);
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", names[i]), STR("ConfigMap/cm1 true hash"));
        CHECK_EQ(crs_fixture_entry(&fixture, "c2", names[i]), STR("ConfigMap/cm1 true hash"));
    }
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "spec.bindings"), COUNT(names));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "metadata.ownerReferences"),
             COUNT(names));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_MAP, "metadata.ownerReferences"),
             COUNT(names));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
}
