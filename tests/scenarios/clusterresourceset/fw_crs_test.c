/* FW-100 to FW-106: what the framework promises, kept by the controllers of sets. */
#include <stdint.h>

#include "async/loop.h"
#include "json/path.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define BOTH "ConfigMap/cm1 true hash, Secret/s1 true hash"
#define THREE                      \
    CRS_FIXTURE_MANIFEST("a", "1") \
    "---\n" CRS_FIXTURE_MANIFEST_IN("nowhere", "b", "1") "---\n" CRS_FIXTURE_MANIFEST("c", "1")

SIM_TEST(fw_100_an_unreachable_cluster_holds_up_nobody)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c2.test", true);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                                ": 1 of 2 clusters failed: c2: " CRS_FIXTURE_DOWN("2"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK_EQ(crs_fixture_entry(&fixture, "c2", "crs1"), STR("none"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    TEST_CASE("it comes again");
    crs_fixture_refuse(&fixture, "c2.test", false);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_entry(&fixture, "c2", "crs1"), STR(BOTH));
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 2);
}

SIM_TEST(fw_101_a_missing_resource_is_no_error)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/absent ConfigMap/cm1");
    crs_fixture_await_entry(&fixture, "c1", "crs1", "ConfigMap/cm1 true hash");
    crs_fixture_check_quiet(&fixture, 5 * MINUTE);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
}

SIM_TEST(fw_102_the_second_of_three_objects_fails)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", THREE);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_entry(&fixture, "c1", "crs1", "ConfigMap/cm1 false hash");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "c")));
}

/* Attempts come soon, then later and later; each sends a refused object twice. */
SIM_TEST(fw_103_only_what_failed_is_tried_again)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "b", "1"));
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("good", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_entry(&fixture, "c1", "crs1",
                            "ConfigMap/cm1 false hash, Secret/s1 true hash");
    const int64_t begun = loop_now(loop_current());
    const size_t first = proxy_count(&fixture.workloads[0], "/namespaces/nowhere/configmaps");
    while (proxy_count(&fixture.workloads[0], "/namespaces/nowhere/configmaps") == first)
        CHECK_OK(fiber_sleep(MILLISECOND));
    CHECK(crs_fixture_seconds_since(begun) <= 1.005);
    CHECK_OK(fiber_sleep(10 * SECOND));
    const size_t soon = proxy_count(&fixture.workloads[0], "/namespaces/nowhere/configmaps");
    CHECK(soon > first && soon < 30);
    CHECK_OK(fiber_sleep(20 * MINUTE));
    const size_t later = proxy_count(&fixture.workloads[0], "/namespaces/nowhere/configmaps");
    CHECK(later > soon && later < soon + 30);
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
}

SIM_TEST(fw_104_objects_carry_nothing_of_the_framework)
{
    static const char *const strategies[] = {"ApplyOnce", "Reconcile"};
    static const char *const members[] = {"annotations", "labels", "ownerReferences", "finalizers"};
    for (size_t i = 0; i < COUNT(strategies); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", strategies[i]);
        crs_fixture_init(&fixture);
        crs_fixture_ready(&fixture, strategies[i]);
        crs_fixture_do(&fixture, "GET", CRS_FIXTURE_OBJECT("1", "a"), NULL);
        const struct json_value *metadata =
            json_path(json_doc_root(fixture.apiserver.doc), "metadata");
        for (size_t j = 0; j < COUNT(members); j++)
            CHECK(!json_get(metadata, str_from_c(members[j])));
    }
}

SIM_TEST(fw_105_at_rest_nobody_is_asked)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_cluster(&fixture, 3);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs2");
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);
    CHECK_EQ(buf_str(&fixture.management.asked), STR(""));
}

SIM_TEST(fw_106_a_set_goes_though_a_cluster_is_unreachable)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_refuse(&fixture, "c2.test", true);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 0);
}
