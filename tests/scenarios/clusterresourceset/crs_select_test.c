/* CRS-07 to CRS-12, CRS-14 and CRS-29: which clusters a set is applied to. */
#include "scenarios/clusterresourceset/crs_fixture.h"

#define SELECTOR_TEXT     "unable to convert selector: \"Foo\" is not a valid label selector operator"
#define INITIALIZED(flag) "{\"status\":{\"initialization\":{\"controlPlaneInitialized\":" flag "}}}"
#define BAD_SELECTOR      "{\"matchExpressions\":[{\"key\":\"cni\",\"operator\":\"Foo\"}]}"

SIM_TEST(crs_07_a_selector_that_cannot_be_read_is_told_and_tried_again)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init_without_webhooks(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_put_set(&fixture, BAD_SELECTOR);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/InternalError/" CRS_FIXTURE_CHECK_LOGS ": " SELECTOR_TEXT);
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/ClusterMatchFailed/Warning/" SELECTOR_TEXT));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.observedGeneration"), STR(""));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    const double before = crs_fixture_errors(&fixture);
    CHECK_OK(fiber_sleep(10 * SECOND));
    const double soon = crs_fixture_errors(&fixture);
    CHECK(soon > before && soon < before + 20);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK(crs_fixture_errors(&fixture) < soon + 20); /* later and later */
}

SIM_TEST(crs_08_an_empty_selector_selects_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init_without_webhooks(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_put_set(&fixture, "{}");
    crs_fixture_await_condition(&fixture, "crs1", "Paused", "False/NotPaused/");
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("-"));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
}

SIM_TEST(crs_09_without_clusters_only_the_set_itself_is_written)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, "\"cni\":\"other\"", "");
    crs_fixture_begin_on(&fixture, "ApplyOnce");
    crs_fixture_await(&fixture, CRS_FIXTURE_SET, "status.observedGeneration", "1"); /* V-19 */
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.finalizers.0"),
             STR("addons.cluster.x-k8s.io"));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_SET, "status.conditions"), 1);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Paused"), STR("False/NotPaused/"));
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"), STR("-"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_MAP, "metadata.ownerReferences"), STR(""));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 0);
}

SIM_TEST(crs_10_clusters_of_other_namespaces_are_not_touched)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster_as(&fixture, "default", 2, CRS_FIXTURE_LABELS, "");
    crs_fixture_begin_on(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    CHECK_EQ(
        crs_fixture_elements(
            &fixture, "/apis/addons.cluster.x-k8s.io/v1beta2/clusterresourcesetbindings", "items"),
        1);
}

SIM_TEST(crs_11_a_cluster_that_goes_is_skipped)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, CRS_FIXTURE_LABELS,
                           ",\"finalizers\":[\"example.com/slow\"]");
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
}

SIM_TEST(crs_12_a_cluster_without_the_label_is_not_in_the_list)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, "", "");
    crs_fixture_cluster_as(&fixture, "ns", 2, "\"cni\":\"x\"", "");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set_as(
        &fixture, "crs1", "ApplyOnce", "ConfigMap/cm1",
        "{\"matchExpressions\":[{\"key\":\"cni\",\"operator\":\"NotIn\",\"values\":[\"x\"]}]}", "");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDINGS "/c2"));
}

SIM_TEST(crs_14_a_label_is_enough)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, "", "");
    crs_fixture_begin_on(&fixture, "ApplyOnce");
    crs_fixture_await(&fixture, CRS_FIXTURE_SET, "status.observedGeneration", "1");
    crs_fixture_check_quiet(&fixture, MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"metadata\":{\"labels\":{" CRS_FIXTURE_LABELS "}}}");
    crs_fixture_await_entry(&fixture, "c1", "crs1", "ConfigMap/cm1 true hash");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

SIM_TEST(crs_14_a_cluster_that_comes_later_is_served)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_forget(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_await_entry(&fixture, "c2", "crs1", "ConfigMap/cm1 true hash, Secret/s1 true hash");
    CHECK_EQ(proxy_count(&fixture.workloads[0], ""), 0);
}

/* A mapper that meets a set whose selector cannot be read skips it (V-16). */
SIM_TEST(crs_14_a_bad_selector_of_another_set_is_no_hindrance)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init_without_webhooks(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_put_set(&fixture, BAD_SELECTOR);
    crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await(&fixture, CRS_FIXTURE_SETS "/crs2", "status.observedGeneration", "1");
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("-"));
}

SIM_TEST(crs_29_a_cluster_that_answers_needs_no_flag)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER "/status", INITIALIZED("false"));
    crs_fixture_begin_on(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

/* The strict reading, for who asks for it (D-07). */
SIM_TEST(crs_29_who_wants_the_flag_waits_for_it)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER "/status", INITIALIZED("false"));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, &(struct controller_manager_options){.needs_control_plane = true});
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_check_quiet(&fixture, 5 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER "/status", INITIALIZED("true"));
    crs_fixture_await_applied(&fixture, "crs1");
}
