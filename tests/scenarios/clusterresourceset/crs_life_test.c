/* CRS-01 to CRS-06, CRS-75, CRS-76 and CRS-78: a set from its creation on, paused, at rest. */
#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define PAUSED      ",\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}"
#define PAUSED_TEXT "True/Paused/ClusterResourceSet has the cluster.x-k8s.io/paused annotation"
#define GO_ON       "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}"
#define PAUSE       "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"true\"}}}"

SIM_TEST(crs_01_a_set_that_is_gone_is_nothing_to_do)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(5 * SECOND));
    crs_fixture_kick(&fixture, "nobody");
    crs_fixture_check_quiet(&fixture, MINUTE);
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    CHECK_EQ(crs_fixture_metric(&fixture, "controller_runtime_reconcile_total{"
                                          "controller=\"clusterresourceset\",result=\"success\"}"),
             1.0);
}

SIM_TEST(crs_02_the_finalizer_comes_before_any_binding)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.finalizers"),
             STR("[\"addons.cluster.x-k8s.io\"]"));
    CHECK(crs_fixture_is_before(&fixture.management, "PATCH " CRS_FIXTURE_SET,
                                "POST " CRS_FIXTURE_BINDINGS));
    CHECK(!crs_fixture_is_before(&fixture.management, "PATCH " CRS_FIXTURE_SET "/status",
                                 "PATCH " CRS_FIXTURE_SET "?"));
}

SIM_TEST(crs_03_a_foreign_finalizer_is_kept)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set_as(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       ",\"finalizers\":[\"example.com/mine\"]");
    crs_fixture_await(&fixture, CRS_FIXTURE_SET, "metadata.finalizers",
                      "[\"example.com/mine\",\"addons.cluster.x-k8s.io\"]");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await(&fixture, CRS_FIXTURE_SET, "metadata.finalizers", "[\"example.com/mine\"]");
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
}

static void begin_paused(struct crs_fixture *fixture)
{
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(fixture, NULL);
    crs_fixture_set_as(fixture, "crs1", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR, PAUSED);
    crs_fixture_await_condition(fixture, "crs1", "Paused", PAUSED_TEXT);
}

SIM_TEST(crs_04_a_paused_set_is_left_alone)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin_paused(&fixture);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Paused"),
             STR(PAUSED_TEXT "; a change waits for 1 of 1 clusters"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.conditions.0.observedGeneration"),
             STR("1"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("-"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_MAP, "metadata.ownerReferences"), STR(""));
}

SIM_TEST(crs_05_a_set_goes_on_where_it_was_paused)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin_paused(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, GO_ON);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Paused"), STR("False/NotPaused/"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

/* What was said of resources stays while a set is paused, and nothing of theirs is looked at. */
SIM_TEST(crs_05_a_pause_leaves_the_other_conditions)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, PAUSE);
    crs_fixture_await_condition(&fixture, "crs1", "Paused", PAUSED_TEXT);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, GO_ON);
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
}

/* Another process has to find it out as well. */
SIM_TEST(a_paused_set_says_that_a_change_waits)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, PAUSE);
    crs_fixture_await_condition(&fixture, "crs1", "Paused", PAUSED_TEXT);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Paused"), STR(PAUSED_TEXT));
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await_condition(&fixture, "crs1", "Paused",
                                PAUSED_TEXT "; a change waits for 2 of 2 clusters");
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);

    TEST_CASE("it is taken back");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Paused"), STR(PAUSED_TEXT));

    TEST_CASE("another resource");
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm1 Secret/s1 ConfigMap/cm2"));
    crs_fixture_await_condition(&fixture, "crs1", "Paused",
                                PAUSED_TEXT "; a change waits for 2 of 2 clusters");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_MAPS "/cm2", "metadata.ownerReferences"),
             STR(""));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, GO_ON);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Paused"), STR("False/NotPaused/"));
}

SIM_TEST(crs_06_a_paused_set_is_not_taken_away)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, PAUSE);
    crs_fixture_await_condition(&fixture, "crs1", "Paused", PAUSED_TEXT);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.finalizers.0"),
             STR("addons.cluster.x-k8s.io"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"),
             STR("ConfigMap/cm1 true hash, Secret/s1 true hash"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, GO_ON);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
}

SIM_TEST(crs_75_a_resync_of_an_unchanged_world_writes_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "Reconcile");
    const double before =
        crs_fixture_metric(&fixture, "controller_runtime_reconcile_total{controller="
                                     "\"clusterresourceset\",result=\"success\"}");
    crs_fixture_check_quiet(&fixture, 35 * MINUTE);
    const double after =
        crs_fixture_metric(&fixture, "controller_runtime_reconcile_total{controller="
                                     "\"clusterresourceset\",result=\"success\"}");
    CHECK(after >= before + 3); /* resyncs did come */
    CHECK_EQ(buf_str(&fixture.management.asked), STR(""));
}

/* Another process finds everything done. */
SIM_TEST(crs_75_a_restart_in_an_unchanged_world_writes_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_OK(fiber_sleep(10 * SECOND));
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.management.writes, 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "/configmaps"), 0);
}

SIM_TEST(crs_76_a_set_without_the_label_of_the_filter_is_ignored)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1,
                           CRS_FIXTURE_LABELS ",\"cluster.x-k8s.io/watch-filter\":\"us\"", "");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, &(struct controller_manager_options){.watch_filter = STR("us")});
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_set_as(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       ",\"labels\":{\"cluster.x-k8s.io/watch-filter\":\"them\"}");
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.finalizers"), STR(""));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SETS "/crs2", "metadata.finalizers"), STR(""));
    TEST_CASE("with the label");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   "{\"metadata\":{\"labels\":{\"cluster.x-k8s.io/watch-filter\":\"us\"}}}");
    crs_fixture_await_applied(&fixture, "crs1");
}

SIM_TEST(crs_78_a_pass_that_failed_observes_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_map(&fixture, "cm2", "a: [");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm1 ConfigMap/cm2"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.generation"), STR("2"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.observedGeneration"), STR("1"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.observedGeneration"), STR("2"));
}

/* Another controller keeps its condition at the end of the list: its order is as good as ours. */
SIM_TEST(crs_75_another_order_of_the_conditions_is_no_reason_to_write)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) patch = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_OK(fiber_sleep(10 * SECOND));
    const struct str conditions = crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.conditions");
    buf_print(&patch,
              "{\"status\":{\"conditions\":%.*s,{\"type\":\"Another\",\"status\":\"True\","
              "\"reason\":\"Here\",\"message\":\"\",\"lastTransitionTime\":"
              "\"2026-01-01T00:00:00Z\"}]}}",
              (int)conditions.len - 1, conditions.ptr);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET "/status", buf_c(&patch));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.conditions.4.type"),
             STR("Another"));
}
