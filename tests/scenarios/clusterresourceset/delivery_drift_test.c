/* FL-09, FL-12, FL-16, FL-19: drift is seen and told. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define OBJECT    CRS_FIXTURE_OBJECT("1", "a")
#define EVENTS    "/apis/events.k8s.io/v1/namespaces/ns/events"
#define MANAGED   "/api/v1/configmaps?labelSelector=corset.dev%2Fmanaged"
#define LISTS     "GET " MANAGED
#define MANIFESTS CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1")
#define DEPLOYMENT                                                                             \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"       \
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: " \
    "{labels: {app: web}}\n    spec: {containers: [{name: web, image: \"web:1\"}]}\n"
#define DEPLOYMENT_PATH CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/web"

/* Time in which every cluster is checked twice. */
#define CHECKS (11 * MINUTE)

static void begin(struct crs_fixture *fixture, const char *spec, const char *text)
{
    delivery_fixture_begin(fixture, spec, text);
    crs_fixture_await_applied(fixture, "crs1");
    CHECK_OK(fiber_sleep(CHECKS));
    crs_fixture_forget(fixture);
}

/* Who edits is the field manager. */
static void edit(struct crs_fixture *fixture, const char *target, const char *body)
{
    SCOPED(buf) managed = {.limit = 0};
    buf_print(&managed, "%s?fieldManager=kubectl-edit", target);
    crs_fixture_do(fixture, "PATCH", buf_c(&managed), body);
}

static size_t count_events(struct crs_fixture *fixture, const char *reason)
{
    const struct json_value *event;
    size_t count = 0;
    crs_fixture_do(fixture, "GET", EVENTS, NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items"))
        count += str_eq(json_path_str(event, "regarding.kind"), STR("Cluster")) &&
                 str_eq(json_path_str(event, "reason"), str_from_c(reason));
    return count;
}

static void check_state(struct crs_fixture *fixture, const char *state, const char *status)
{
    CHECK_EQ(delivery_fixture_record(fixture, "crs1", "state"), str_from_c(state));
    crs_fixture_await_condition(fixture, "crs1", "DriftFree", status);
}

/* Nothing was written to c1 since crs_fixture_forget(). */
static void check_untouched(struct crs_fixture *fixture)
{
    CHECK_EQ(proxy_count(&fixture->workloads[0], "POST "), (size_t)0);
    CHECK_EQ(proxy_count(&fixture->workloads[0], "PATCH "),
             proxy_count(&fixture->workloads[0], "dryRun=All"));
}

SIM_TEST(fl_09_what_somebody_changed_is_reported)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{}", DEPLOYMENT);
    check_state(&fixture, "Ready", "True");
    edit(&fixture, DEPLOYMENT_PATH, "{\"spec\":{\"replicas\":5}}");
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Drifted", "False/Drifted");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("spec.replicas changed by kubectl-edit"));
    CHECK(str_contains(crs_fixture_condition(&fixture, "crs1", "DriftFree"),
                       STR("1 of 1 clusters drifted: c1: apps/v1 Deployment default/web: "
                           "spec.replicas changed by kubectl-edit")));
    CHECK_EQ(crs_fixture_look(&fixture, DEPLOYMENT_PATH, "spec.replicas"), STR("5"));
    CHECK_EQ(count_events(&fixture, "DriftDetected"), (size_t)1);
    check_untouched(&fixture);

    TEST_CASE("what is known is not told, asked or written again");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(fixture.management.writes, (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), (size_t)0);
    CHECK_EQ(count_events(&fixture, "DriftDetected"), (size_t)1);

    TEST_CASE("after a restart neither");
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(HOUR));
    check_state(&fixture, "Drifted", "False/Drifted");
    check_untouched(&fixture);
    CHECK_EQ(count_events(&fixture, "DriftDetected"), (size_t)1);

    TEST_CASE("a new revision takes it back");
    crs_fixture_map(&fixture, "cm1", DEPLOYMENT "  paused: false\n");
    crs_fixture_await(&fixture, DEPLOYMENT_PATH, "spec.replicas", "2");
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Ready", "True");
}

SIM_TEST(fl_12_what_others_add_is_no_drift)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{}", DEPLOYMENT);
    edit(&fixture, DEPLOYMENT_PATH,
         "{\"metadata\":{\"labels\":{\"team\":\"a\"},\"annotations\":{\"injected\":\"yes\"}},"
         "\"spec\":{\"minReadySeconds\":3}}");
    edit(&fixture, DEPLOYMENT_PATH "/status", "{\"status\":{\"observedGeneration\":1}}");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Ready", "True");
    CHECK(crs_fixture_workload_requests(&fixture) > 0);
    CHECK_EQ(crs_fixture_workload_requests(&fixture),
             proxy_count(&fixture.workloads[0], "GET /apis/apps/v1/deployments?labelSelector="));
    CHECK_EQ(fixture.management.writes, (size_t)0);
}

SIM_TEST(an_object_that_says_so_is_not_looked_at_for_drift)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{}",
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, annotations: "
          "{corset.dev/drift: ignore}}\ndata: {k: \"1\"}\n---\n" CRS_FIXTURE_MANIFEST("b", "1"));
    edit(&fixture, OBJECT, "{\"data\":{\"k\":\"2\"}}");
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Ready", "True");
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Ready", "True");
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), (size_t)0);
}

SIM_TEST(a_deleted_object_and_one_that_comes_back_are_told)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{}", MANIFESTS);
    crs_fixture_do(&fixture, "DELETE", OBJECT, NULL);
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Drifted", "False/Drifted");
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
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Drifted", "False/Drifted");
}

SIM_TEST(fl_19_who_may_not_list_reads_objects_one_by_one)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}", MANIFESTS);
    crs_fixture_await_applied(&fixture, "crs1");
    proxy_fail(
        &fixture.workloads[0],
        (struct proxy_fault){.method = "GET", .part = MANAGED, .times = 1000, .status = 403});
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Ready", "True");
    edit(&fixture, OBJECT, "{\"data\":{\"k\":\"2\"}}");
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Drifted", "False/Drifted");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("data.k changed by kubectl-edit"));
}

SIM_TEST(a_check_that_fails_is_made_again_and_takes_nothing_for_gone)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{}", MANIFESTS);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "GET", .part = MANAGED, .times = 12, .status = 500});
    CHECK_OK(fiber_sleep(CHECKS));
    check_state(&fixture, "Ready", "True");
    CHECK(proxy_count(&fixture.workloads[0], LISTS) > 12);
    CHECK_EQ(fixture.management.writes, (size_t)0);
}
