/* FL-20, FL-21: what is applied becomes ready, and others wait for that. */
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define HEALTH "{\"drift\":\"Ignore\",\"health\":{\"timeout\":\"5m\"}}"
#define DEPLOYMENT(name)                                                                 \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " name                      \
    ", namespace: default}\nspec:\n  replicas: 1\n  selector: {matchLabels: {app: " name \
    "}}\n  template:\n    metadata: {labels: {app: " name "}}\n    spec: {containers: "  \
    "[{name: web, image: \"web:1\"}]}\n"
#define MANIFESTS DEPLOYMENT("web") "---\n" CRS_FIXTURE_MANIFEST("a", "1")
#define DEPLOYMENT_AT(digit) \
    CRS_FIXTURE_WORKLOAD(digit) "/apis/apps/v1/namespaces/default/deployments/web"
#define LISTED   "/apis/apps/v1/deployments?"
#define LISTS    "GET " LISTED
#define NOT_DONE "apps/v1 Deployment default/web: not ready: LessReplicas"

/* What the controllers of a cluster say of a Deployment with one replica. */
static void make_available(struct crs_fixture *fixture, const char *target, bool is_available)
{
    SCOPED(buf) path = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    const struct str generation = crs_fixture_look(fixture, target, "metadata.generation");
    const char *status = is_available ? "True" : "False";
    const int count = is_available ? 1 : 0;
    buf_print(&path, "%s/status", target);
    buf_print(
        &body,
        "{\"status\":{\"observedGeneration\":%.*s,\"replicas\":%d,\"updatedReplicas\":%d,"
        "\"readyReplicas\":%d,\"availableReplicas\":%d,\"conditions\":["
        "{\"type\":\"Progressing\",\"status\":\"True\",\"reason\":\"NewReplicaSetAvailable\"},"
        "{\"type\":\"Available\",\"status\":\"%s\",\"reason\":\"x\"}]}}",
        STR_ARG(generation), count, count, count, count, status);
    crs_fixture_do(fixture, "PATCH", buf_c(&path), buf_c(&body));
}

static void check_state(struct crs_fixture *fixture, const char *state, const char *condition)
{
    CHECK_EQ(delivery_fixture_record(fixture, "crs1", "state"), str_from_c(state));
    crs_fixture_await_condition(fixture, "crs1", "Ready", condition);
}

static double clusters_in(struct crs_fixture *fixture, const char *state)
{
    SCOPED(buf) series = {.limit = 0};
    buf_print(&series, "corset_set_clusters{namespace=\"ns\",set=\"crs1\",state=\"%s\"}", state);
    return crs_fixture_metric(fixture, buf_c(&series));
}

SIM_TEST(fl_20_what_is_applied_settles_until_it_is_ready)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, HEALTH, MANIFESTS);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(2 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady/1 of 1 clusters is not ready: c1: " NOT_DONE);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.reason"), STR("LessReplicas"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.objects.0"),
             STR("apps/v1 Deployment default/web (ConfigMap cm1, key data, document 1)"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "objects"), STR("2"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "ready"), STR("1"));
    CHECK_EQ(clusters_in(&fixture, "settling"), 1.0);

    TEST_CASE("only kinds that may not be ready are asked for, later and later");
    CHECK_OK(fiber_sleep(58 * SECOND));
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)5);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps?"), (size_t)0);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Settling"));

    TEST_CASE("the time is over");
    CHECK_OK(fiber_sleep(4 * MINUTE + 5 * SECOND));
    check_state(
        &fixture, "Failed",
        "False/NotReady/1 of 1 clusters is not ready, 1 of them not in time: c1: " NOT_DONE);
    CHECK_EQ(clusters_in(&fixture, "failed"), 1.0);
    CHECK(
        str_starts_with(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/")));
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)20);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    CHECK_EQ(fixture.management.writes, (size_t)0);

    TEST_CASE("ready after all");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(31 * SECOND));
    check_state(&fixture, "Ready", "True/AllReady");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "ready"), STR("2"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "settling"), STR(""));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why"), STR(""));
    CHECK_EQ(clusters_in(&fixture, "applied"), 1.0);

    TEST_CASE("at rest it is looked at every interval, and nothing is written");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(HOUR));
    const size_t looks = proxy_count(&fixture.workloads[0], LISTS);
    CHECK(looks >= 10 && looks <= 14);
    CHECK_EQ(crs_fixture_workload_requests(&fixture), looks);
    CHECK_EQ(fixture.management.writes, (size_t)0);
}

SIM_TEST(a_placement_that_was_ready_settles_again_and_fails)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, HEALTH, MANIFESTS);
    crs_fixture_await(&fixture, DEPLOYMENT_AT("1"), "spec.replicas", "1");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(5 * SECOND));
    check_state(&fixture, "Ready", "True/AllReady");
    make_available(&fixture, DEPLOYMENT_AT("1"), false);
    CHECK_OK(fiber_sleep(5 * MINUTE + 40 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady");
    CHECK_OK(fiber_sleep(5 * MINUTE + 10 * SECOND));
    check_state(&fixture, "Failed", "False/NotReady");
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)2);

    TEST_CASE("a new revision settles anew, and is ready");
    crs_fixture_map(&fixture, "cm1", MANIFESTS "---\n" CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "1");
    CHECK_OK(fiber_sleep(5 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_state(&fixture, "Ready", "True/AllReady");

    TEST_CASE("nobody wants to know any more");
    make_available(&fixture, DEPLOYMENT_AT("1"), false);
    CHECK_OK(fiber_sleep(6 * MINUTE));
    check_state(&fixture, "Settling", "False/NotReady");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Ignore\"}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Ready"), STR("-"));
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);

    TEST_CASE("somebody does");
    delivery_fixture_policy(&fixture, HEALTH);
    CHECK_OK(fiber_sleep(40 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady");
}

SIM_TEST(a_set_that_loses_its_policy_while_it_settles_is_applied)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, HEALTH, MANIFESTS);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(5 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, DELIVERY_FIXTURE_NAMES("null"));
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR(""));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Ready"), STR("-"));
    CHECK_EQ(clusters_in(&fixture, "applied"), 1.0);
    CHECK_EQ(clusters_in(&fixture, "settling"), 0.0);
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);
}

SIM_TEST(a_set_of_what_is_always_ready_or_does_not_count_is_ready_at_once)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(
        &fixture, HEALTH,
        CRS_FIXTURE_MANIFEST("a", "1") "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: "
                                       "{name: web, namespace: default, annotations: "
                                       "{corset.dev/health: ignore}}\nspec:\n  selector: "
                                       "{matchLabels: {app: w}}\n  template:\n    metadata: "
                                       "{labels: {app: w}}\n    spec: {containers: "
                                       "[{name: web, image: \"web:1\"}]}\n");
    crs_fixture_await_applied(&fixture, "crs1");
    check_state(&fixture, "Ready", "True/AllReady");
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);
}

SIM_TEST(a_restart_does_not_lengthen_the_time_to_become_ready)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, HEALTH, MANIFESTS);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(4 * MINUTE));
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(40 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady/1 of 1 clusters is not ready: c1: " NOT_DONE);
    CHECK_OK(fiber_sleep(25 * SECOND));
    check_state(&fixture, "Failed", "False/NotReady");
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);

    TEST_CASE("what has failed stays so across a restart, and is not applied again");
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_state(&fixture, "Failed", "False/NotReady");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(35 * SECOND));
    check_state(&fixture, "Ready", "True/AllReady");
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
}

SIM_TEST(who_may_not_list_reads_what_is_not_ready_one_by_one)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, HEALTH, MANIFESTS);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "GET", .part = LISTED, .times = 1000, .status = 403});
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(5 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady/1 of 1 clusters is not ready: c1: " NOT_DONE);
    CHECK(proxy_count(&fixture.workloads[0],
                      "GET /apis/apps/v1/namespaces/default/deployments/web") > 0);
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_state(&fixture, "Ready", "True/AllReady");

    TEST_CASE("an object that is gone is not ready");
    crs_fixture_do(&fixture, "DELETE", DEPLOYMENT_AT("1"), NULL);
    CHECK_OK(fiber_sleep(6 * MINUTE));
    check_state(&fixture, "Settling", "False/NotReady");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("not ready: NotFound"));
}

SIM_TEST(what_cannot_be_checked_stays_as_it_was_and_is_told)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, HEALTH, MANIFESTS);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(40 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady");

    TEST_CASE("the server fails");
    proxy_fail(
        &fixture.workloads[0],
        (struct proxy_fault){.method = "GET", .part = LISTED, .times = 100000, .status = 500});
    CHECK_OK(fiber_sleep(20 * MINUTE));
    check_state(&fixture, "Settling",
                "False/NotReady/1 of 1 clusters is not ready: c1: " NOT_DONE
                "; not checked since ");
    CHECK(str_starts_with(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
                          STR("not checked since ")));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.1.reason"), STR("LessReplicas"));
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(20 * MINUTE));
    CHECK_EQ(fixture.management.writes, (size_t)0);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Settling"));

    TEST_CASE("it answers again: the time has been over for long");
    fixture.workloads[0].faults[0].times = 0;
    CHECK_OK(fiber_sleep(40 * SECOND));
    check_state(&fixture, "Failed", "False/NotReady");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.reason"), STR("LessReplicas"));
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(40 * SECOND));
    check_state(&fixture, "Ready", "True/AllReady");

    TEST_CASE("the connection is lost");
    crs_fixture_vanish(&fixture, true);
    CHECK_OK(fiber_sleep(30 * MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK(str_starts_with(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
                          STR("not checked since ")));
    crs_fixture_vanish(&fixture, false);
    CHECK_OK(fiber_sleep(12 * MINUTE));
    check_state(&fixture, "Ready", "True/AllReady");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why"), STR(""));
}

SIM_TEST(drift_and_health_of_one_placement_are_both_told)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{\"health\":{\"timeout\":\"5m\"}}", MANIFESTS);
    crs_fixture_await_applied(&fixture, "crs1");
    delivery_fixture_edit(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "{\"data\":{\"k\":\"2\"}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    check_state(
        &fixture, "Drifted",
        "False/NotReady/1 of 1 clusters is not ready, 1 of them not in time: c1: " NOT_DONE);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("data.k changed by kubectl-edit"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "unready.0.reason"), STR("LessReplicas"));

    TEST_CASE("neither is written again");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(fixture.management.writes, (size_t)0);

    TEST_CASE("ready, and still drifted");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(40 * SECOND));
    check_state(&fixture, "Drifted", "True/AllReady");
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");

    TEST_CASE("repaired");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Repair\",\"health\":{\"timeout\":\"5m\"}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    check_state(&fixture, "Ready", "True/AllReady");
    delivery_fixture_check_state(&fixture, "Ready", "True");
}

SIM_TEST(what_a_repair_makes_anew_settles)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{\"drift\":\"Repair\",\"health\":{\"timeout\":\"5m\"}}",
                           MANIFESTS);
    crs_fixture_await(&fixture, DEPLOYMENT_AT("1"), "spec.replicas", "1");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    check_state(&fixture, "Ready", "True/AllReady");
    crs_fixture_do(&fixture, "DELETE", DEPLOYMENT_AT("1"), NULL);
    for (int i = 0; i < 60 && !crs_fixture_exists(&fixture, DEPLOYMENT_AT("1")); i++)
        CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_OK(fiber_sleep(MINUTE)); /* less than the timeout */
    CHECK(crs_fixture_exists(&fixture, DEPLOYMENT_AT("1")));
    check_state(&fixture, "Settling", "False/NotReady");
}

#define WAITS_FOR_S                                                                 \
    "False/NotApplied/Waiting for other sets: 1 of 3 clusters wait: c1: waits for " \
    "ClusterResourceSet crs1, which is not ready there yet"

/* crs1 on c1 and c2, t on all three. */
static void begin_two_sets(struct crs_fixture *fixture)
{
    static const char *const labels = CRS_FIXTURE_LABELS ",\"base\":\"yes\"";
    crs_fixture_init(fixture);
    crs_fixture_cluster_as(fixture, "ns", 1, labels, "");
    crs_fixture_cluster_as(fixture, "ns", 2, labels, "");
    crs_fixture_cluster(fixture, 3);
    crs_fixture_map(fixture, "cm1", MANIFESTS);
    crs_fixture_map(fixture, "top", CRS_FIXTURE_MANIFEST("b", "1"));
    delivery_fixture_policy(fixture, HEALTH);
    crs_fixture_start(fixture, NULL);
    crs_fixture_set_as(fixture, "crs1", "Reconcile", "ConfigMap/cm1",
                       "{\"matchLabels\":{\"base\":\"yes\"}}",
                       ",\"annotations\":{\"corset.dev/policy\":\"p\"}");
    crs_fixture_set_as(fixture, "t", "ApplyOnce", "ConfigMap/top", CRS_FIXTURE_SELECTOR,
                       ",\"annotations\":{\"corset.dev/depends-on\":\"crs1\"}");
}

SIM_TEST(fl_21_a_set_comes_after_the_one_it_depends_on_is_ready)
{
    SCOPED(crs_fixture) fixture;
    begin_two_sets(&fixture);
    crs_fixture_await(&fixture, DEPLOYMENT_AT("2"), "spec.replicas", "1");
    make_available(&fixture, DEPLOYMENT_AT("2"), true);
    crs_fixture_await_entry(&fixture, "c2", "t", "ConfigMap/top true hash");
    crs_fixture_await_entry(&fixture, "c3", "t", "ConfigMap/top true hash");
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied", WAITS_FOR_S);

    TEST_CASE("not ready in time: it waits on, also across a restart");
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied", WAITS_FOR_S);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "t"), STR("-"));

    TEST_CASE("ready: it comes at once");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(35 * SECOND));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    crs_fixture_await_applied(&fixture, "t");

    TEST_CASE("what has begun is not taken back");
    make_available(&fixture, DEPLOYMENT_AT("1"), false);
    CHECK_OK(fiber_sleep(6 * MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Settling"));
    CHECK(str_starts_with(crs_fixture_condition(&fixture, "t", "ResourcesApplied"), STR("True/")));
}

SIM_TEST(a_watch_makes_health_be_looked_at_at_once)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", MANIFESTS);
    delivery_fixture_policy(&fixture, "{\"health\":{\"timeout\":\"5m\"}}");
    crs_fixture_start(&fixture, &(struct controller_manager_options){.drift_watch = true});
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    check_state(&fixture, "Ready", "True/AllReady");
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_drift_watches"), 2);

    TEST_CASE("not available any more, and again");
    make_available(&fixture, DEPLOYMENT_AT("1"), false);
    CHECK_OK(fiber_sleep(3 * SECOND));
    check_state(&fixture, "Settling", "False/NotReady");
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(12 * SECOND));
    check_state(&fixture, "Ready", "True/AllReady");

    TEST_CASE("many events are one look, and what is always ready asks for none");
    CHECK_OK(fiber_sleep(12 * SECOND));
    crs_fixture_forget(&fixture);
    for (int i = 0; i < 20; i++) {
        make_available(&fixture, DEPLOYMENT_AT("1"), i % 2 == 0);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    make_available(&fixture, DEPLOYMENT_AT("1"), true);
    CHECK_OK(fiber_sleep(12 * SECOND));
    CHECK(proxy_count(&fixture.workloads[0], LISTS) <= 6);
    check_state(&fixture, "Ready", "True/AllReady");
    CHECK_OK(fiber_sleep(12 * SECOND));
    crs_fixture_forget(&fixture);
    delivery_fixture_edit(&fixture, CRS_FIXTURE_OBJECT("1", "a"),
                          "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
    CHECK_OK(fiber_sleep(12 * SECOND));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), (size_t)0);
}
