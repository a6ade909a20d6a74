/* FL-09, FL-12, FL-16, FL-19: drift is seen and told. */
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define OBJECT    CRS_FIXTURE_OBJECT("1", "a")
#define MANAGED   "/api/v1/configmaps?labelSelector=corset.dev%2Fmanaged"
#define LISTS     "GET " MANAGED
#define MANIFESTS CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1")
#define DEPLOYMENT                                                                             \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"       \
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: " \
    "{labels: {app: web}}\n    spec: {containers: [{name: web, image: \"web:1\"}]}\n"
#define DEPLOYMENT_PATH CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/web"

SIM_TEST(fl_09_what_somebody_changed_is_reported)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", DEPLOYMENT);
    delivery_fixture_check_state(&fixture, "Ready", "True");
    delivery_fixture_edit(&fixture, DEPLOYMENT_PATH, "{\"spec\":{\"replicas\":5}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("spec.replicas changed by kubectl-edit"));
    CHECK(str_contains(crs_fixture_condition(&fixture, "crs1", "DriftFree"),
                       STR("1 of 1 clusters drifted: c1: apps/v1 Deployment default/web: "
                           "spec.replicas changed by kubectl-edit")));
    CHECK_EQ(crs_fixture_look(&fixture, DEPLOYMENT_PATH, "spec.replicas"), STR("5"));
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)1);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);

    TEST_CASE("what is known is not told, asked or written again");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(fixture.management.writes, (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), (size_t)0);
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)1);
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_drift_detected_total{kind=\"Deployment\"}"), 1);

    TEST_CASE("after a restart neither");
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(HOUR));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)1);

    TEST_CASE("a new revision takes it back");
    crs_fixture_map(&fixture, "cm1", DEPLOYMENT "  paused: false\n");
    crs_fixture_await(&fixture, DEPLOYMENT_PATH, "spec.replicas", "2");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Ready", "True");
}

SIM_TEST(fl_12_what_others_add_is_no_drift)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", DEPLOYMENT);
    delivery_fixture_edit(
        &fixture, DEPLOYMENT_PATH,
        "{\"metadata\":{\"labels\":{\"team\":\"a\"},\"annotations\":{\"injected\":\"yes\"}},"
        "\"spec\":{\"minReadySeconds\":3}}");
    delivery_fixture_edit(&fixture, DEPLOYMENT_PATH "/status",
                          "{\"status\":{\"observedGeneration\":1}}");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Ready", "True");
    CHECK(crs_fixture_workload_requests(&fixture) > 0);
    CHECK_EQ(crs_fixture_workload_requests(&fixture),
             proxy_count(&fixture.workloads[0], "GET /apis/apps/v1/deployments?labelSelector="));
    CHECK_EQ(fixture.management.writes, (size_t)0);
}

SIM_TEST(an_object_that_says_so_is_not_looked_at_for_drift)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(
        &fixture, "{}",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, annotations: "
        "{corset.dev/drift: ignore}}\ndata: {k: \"1\"}\n---\n" CRS_FIXTURE_MANIFEST("b", "1"));
    delivery_fixture_edit(&fixture, OBJECT, "{\"data\":{\"k\":\"2\"}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Ready", "True");
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Ready", "True");
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), (size_t)0);
}

SIM_TEST(a_deleted_object_and_one_that_comes_back_are_told)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", MANIFESTS);
    crs_fixture_do(&fixture, "DELETE", OBJECT, NULL);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"), STR("deleted"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.count"), STR("1"));

    TEST_CASE("nobody minds any more");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Ignore\"}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "DriftFree"), STR("-"));
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);

    TEST_CASE("somebody does");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Report\"}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
}

SIM_TEST(fl_19_who_may_not_list_reads_objects_one_by_one)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}", MANIFESTS);
    crs_fixture_await_applied(&fixture, "crs1");
    proxy_fail(
        &fixture.workloads[0],
        (struct proxy_fault){.method = "GET", .part = MANAGED, .times = 1000, .status = 403});
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Ready", "True");
    delivery_fixture_edit(&fixture, OBJECT, "{\"data\":{\"k\":\"2\"}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("data.k changed by kubectl-edit"));
}

SIM_TEST(a_check_that_fails_is_made_again_and_takes_nothing_for_gone)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", MANIFESTS);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "GET", .part = MANAGED, .times = 12, .status = 500});
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Ready", "True");
    CHECK(proxy_count(&fixture.workloads[0], LISTS) > 12);
    CHECK_EQ(fixture.management.writes, (size_t)0);
}
