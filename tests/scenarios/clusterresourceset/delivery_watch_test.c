/* FL-09, FL-10, FL-11, FL-15 with `--drift-check watch`, and what may happen to watches. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define OBJECT    CRS_FIXTURE_OBJECT("1", "a")
#define MANIFESTS CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1")
#define REPAIR    "{\"drift\":\"Repair\"}"
#define CHANGE    "{\"data\":{\"k\":\"2\"}}"
#define LISTS     "?labelSelector=corset.dev%2Fmanaged"
#define OTHER     CRS_FIXTURE_OBJECT("1", "b")
#define HOST      STR("c1.test")
#define DEPLOYMENT                                                                          \
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: default}\n" \
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: d}}\n  template:\n"              \
    "    metadata: {labels: {app: d}}\n    spec: {containers: [{name: c, image: i}]}\n"
#define DEPLOYED CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/d"

static double count_watches(struct crs_fixture *fixture)
{
    return crs_fixture_metric(fixture, "corset_drift_watches");
}

/* Everything is applied, checked and watched, and nothing is going on. */
static void begin_watched(struct crs_fixture *fixture, const char *spec, const char *text)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", text);
    delivery_fixture_policy(fixture, spec);
    crs_fixture_start(fixture, &(struct controller_manager_options){.drift_watch = true});
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK(count_watches(fixture) >= 1);
    crs_fixture_forget(fixture);
}

/* The first check of a cluster may come before anything is applied there. */
SIM_TEST(what_is_applied_late_is_watched_within_a_minute)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", MANIFESTS);
    delivery_fixture_policy(&fixture, REPAIR);
    crs_fixture_start(&fixture, &(struct controller_manager_options){.drift_watch = true});
    proxy_fail(&fixture.workloads[0], (struct proxy_fault){"PATCH", "", 100000, .status = 503});
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK_EQ(count_watches(&fixture), 0);
    fixture.workloads[0].faults[0].times = 0;
    crs_fixture_map(&fixture, "cm1", MANIFESTS DEPLOYMENT); /* which ends the back-off */
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(61 * SECOND));
    CHECK_EQ(count_watches(&fixture), 2);
}

SIM_TEST(fl_10_a_watch_puts_back_within_a_second_what_somebody_changed)
{
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR, MANIFESTS DEPLOYMENT);
    CHECK_EQ(count_watches(&fixture), 2);

    TEST_CASE("at rest nothing is asked");
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)0);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    CHECK_EQ(count_watches(&fixture), 2);

    TEST_CASE("kubectl scale");
    crs_fixture_forget(&fixture);
    delivery_fixture_edit(&fixture, DEPLOYED, "{\"spec\":{\"replicas\":7}}");
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(crs_fixture_look(&fixture, DEPLOYED, "spec.replicas"), STR("2"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps"), (size_t)0);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)2); /* the first one names who has it */
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftRepaired"), (size_t)1);
    CHECK_CONTAINS(delivery_fixture_note(&fixture, "DriftRepaired"),
                   STR("spec.replicas changed by kubectl-edit"));
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_drift_detected_total{kind=\"Deployment\"}"), 1);
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_drift_repaired_total{kind=\"Deployment\"}"), 1);

    TEST_CASE("one check follows, and then there is rest again");
    CHECK_OK(fiber_sleep(10 * MINUTE));
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)2);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)2);
}

/* Within two seconds everything of an object is as it was applied. */
static void check_repaired(struct crs_fixture *fixture, const char *target, size_t events)
{
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_EQ(crs_fixture_look(fixture, target, "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_look(fixture, target, "metadata.managedFields.0.manager"),
             STR("corset:ns/crs1"));
    CHECK_EQ(delivery_fixture_events(fixture, "DriftRepaired"), events);
}

SIM_TEST(fl_11_a_watch_sees_whatever_makes_an_object_no_longer_ours)
{
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR, MANIFESTS);
    for (size_t i = 0; i < DELIVERY_FIXTURE_LOSSES; i++) {
        delivery_fixture_lose(&fixture, OBJECT, i);
        check_repaired(&fixture, OBJECT, i + 1);
    }
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps/b"), (size_t)0);
    CHECK_EQ(delivery_fixture_applies(&fixture), DELIVERY_FIXTURE_LOSSES + 2); /* one is adopted */

    TEST_CASE("a restart finds the record as it is");
    CHECK_OK(fiber_sleep(10 * MINUTE));
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, &(struct controller_manager_options){.drift_watch = true});
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)1);
}

SIM_TEST(fl_09_a_watch_reports_what_has_drifted_and_what_is_put_right)
{
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, "{}", MANIFESTS);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Drifted"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("data.k changed by kubectl-edit"));

    TEST_CASE("another one");
    delivery_fixture_edit(&fixture, OTHER, CHANGE);
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.count"), STR("2"));

    TEST_CASE("both are put right by hand");
    crs_fixture_do(&fixture, "DELETE", OBJECT, NULL);
    crs_fixture_do(&fixture, "DELETE", OTHER, NULL);
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"), STR("deleted"));
    delivery_fixture_policy(&fixture, REPAIR);
    CHECK_OK(fiber_sleep(MINUTE));
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");

    TEST_CASE("nobody minds any more");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Ignore\"}");
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(count_watches(&fixture), 0);
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);
}

SIM_TEST(fl_12_a_watch_takes_nothing_of_others_for_drift)
{
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR,
                  MANIFESTS DEPLOYMENT
                  "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: i, namespace: default, "
                  "annotations: {corset.dev/drift: ignore}}\ndata: {k: \"1\"}\n");
    delivery_fixture_edit(
        &fixture, DEPLOYED,
        "{\"metadata\":{\"labels\":{\"team\":\"a\"},\"annotations\":{\"x\":\"y\"}},"
        "\"spec\":{\"minReadySeconds\":3}}");
    delivery_fixture_edit(&fixture, DEPLOYED "/status", "{\"status\":{\"observedGeneration\":1}}");
    delivery_fixture_edit(&fixture, CRS_FIXTURE_OBJECT("1", "i"), CHANGE);
    crs_fixture_do(
        &fixture, "POST", CRS_FIXTURE_OBJECTS("1"),
        "{\"metadata\":{\"name\":\"copied\",\"labels\":{\"corset.dev/managed\":\"true\"}}}");
    CHECK_OK(fiber_sleep(30 * MINUTE));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), (size_t)0);
    delivery_fixture_check_state(&fixture, "Ready", "True");
}

/* Somebody who sets the field again within 100 ms, always. */
static struct error *oppose(void *data)
{
    struct crs_fixture *fixture = data;
    for (;;) {
        TRY(fiber_sleep(100 * MILLISECOND));
        if (str_eq(crs_fixture_look(fixture, OBJECT, "data.k"), STR("1")))
            delivery_fixture_edit(fixture, OBJECT, CHANGE);
        else
            delivery_fixture_edit(fixture, OBJECT, "{\"data\":{\"k\":\"3\"}}");
    }
}

SIM_TEST(fl_15_a_watch_does_not_fight_for_ever)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(scope) scope = {0};
    begin_watched(&fixture, REPAIR, MANIFESTS);
    scope_start(&scope, "opponent", oppose, &fixture);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftContested"), (size_t)1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "force=true") -
                 proxy_count(&fixture.workloads[0], "dryRun=All"),
             (size_t)5);
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(4 * MINUTE));
    CHECK(proxy_count(&fixture.workloads[0], "GET ") < 10);

    TEST_CASE("what else drifts is put right meanwhile");
    delivery_fixture_edit(&fixture, OTHER, CHANGE);
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK_EQ(crs_fixture_look(&fixture, OTHER, "data.k"), STR("1"));
    delivery_fixture_check_state(&fixture, "Contested", "False/Contested");
    scope_cancel(&scope);
    error_free(scope_wait(&scope));
    CHECK_OK(fiber_sleep(30 * MINUTE));
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");
}

static void set_network(struct crs_fixture *fixture, const struct sim_faults *faults)
{
    sim_network_set_faults(fixture->apiserver.network, HOST, faults);
}

SIM_TEST(what_changes_while_a_watch_is_broken_is_found_by_a_list)
{
    static const struct {
        const char *name;
        struct sim_faults faults;
        duration time;
    } cases[] = {
        {"reset",      {.reset = 1},                 5 * SECOND },
        {"black hole", {.black_hole = true},         30 * MINUTE},
        {"refused",    {.reset = 1, .refuse = true}, 30 * MINUTE},
    };
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR, MANIFESTS);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        set_network(&fixture, &cases[i].faults);
        delivery_fixture_edit(&fixture, OBJECT, CHANGE);
        CHECK_OK(fiber_sleep(cases[i].time));
        crs_fixture_forget(&fixture);
        set_network(&fixture, &(struct sim_faults){0});
        CHECK_OK(fiber_sleep(10 * MINUTE));
        check_repaired(&fixture, OBJECT, i + 1);
        CHECK(proxy_count(&fixture.workloads[0], LISTS) > 0);
        CHECK_EQ(count_watches(&fixture), 1);
    }
    TEST_CASE("and then it is watched again");
    crs_fixture_forget(&fixture);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    check_repaired(&fixture, OBJECT, COUNT(cases) + 1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], LISTS), (size_t)0);
}

#define EXPIRED                                                                             \
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":" \
    "\"Failure\",\"message\":\"too old\",\"reason\":\"Expired\",\"code\":410}}\n"

SIM_TEST(a_watch_that_cannot_go_on_begins_anew)
{
    static const struct {
        const char *name;
        struct proxy_fault fault;
    } cases[] = {
        {"410",      {"GET", "watch=true", 1, .status = 410}                     },
        {"429",      {"GET", "watch=true", 3, .status = 429}                     },
        {"503",      {"GET", "watch=true", 3, .status = 503}                     },
        {"expired",  {"GET", "watch=true", 2, .status = 200, .body = EXPIRED}    },
        {"garbage",  {"GET", "watch=true", 2, .status = 200, .body = "{]\n"}     },
        {"no event", {"GET", "watch=true", 2, .status = 200, .body = "[[[\n\n"}  },
        {"cut",      {"GET", "watch=true", 2, .status = 200, .body = "{\"type\""}},
        {"ends",     {"GET", "watch=true", 2, .status = 200, .body = ""}         },
    };
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR, MANIFESTS);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        crs_fixture_forget(&fixture);
        proxy_fail(&fixture.workloads[0], cases[i].fault);
        CHECK_OK(fiber_sleep(50 * MINUTE)); /* every stream has ended once */
        CHECK_EQ(count_watches(&fixture), 1);
        CHECK(proxy_count(&fixture.workloads[0], LISTS) < 10);
        CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), (size_t)0);
        delivery_fixture_edit(&fixture, OBJECT, CHANGE);
        check_repaired(&fixture, OBJECT, i + 1);
        CHECK_OK(fiber_sleep(20 * MINUTE));
    }
}

SIM_TEST(what_may_not_be_watched_is_checked_at_the_interval)
{
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR, MANIFESTS);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){"GET", "watch=true", 100000, .status = 403});
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(count_watches(&fixture), 0);
    CHECK(proxy_count(&fixture.workloads[0], LISTS) > 2);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    CHECK_OK(fiber_sleep(6 * MINUTE));
    check_repaired(&fixture, OBJECT, 1);
}

SIM_TEST(a_cluster_that_is_replaced_is_watched_anew_and_the_old_one_not_at_all)
{
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR, MANIFESTS);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SECRETS "/c1-kubeconfig", NULL);
    crs_fixture_kubeconfig(&fixture, 1, 2);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k"), STR("1"));
    CHECK_EQ(count_watches(&fixture), 1);
    crs_fixture_forget(&fixture);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), (size_t)0);
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("2"));
    delivery_fixture_edit(&fixture, CRS_FIXTURE_OBJECT("2", "a"), CHANGE);
    check_repaired(&fixture, CRS_FIXTURE_OBJECT("2", "a"), 1);
}

SIM_TEST(another_revision_is_watched_with_the_kinds_it_has)
{
    SCOPED(crs_fixture) fixture;
    begin_watched(&fixture, REPAIR, MANIFESTS);
    CHECK_EQ(count_watches(&fixture), 1);
    crs_fixture_map(&fixture, "cm1", MANIFESTS DEPLOYMENT);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(count_watches(&fixture), 2);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    check_repaired(&fixture, OBJECT, 1);

    TEST_CASE("while the Cluster is paused nothing is done");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":true}}");
    CHECK_OK(fiber_sleep(MINUTE));
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":false}}");
    CHECK_OK(fiber_sleep(20 * SECOND));
    check_repaired(&fixture, OBJECT, 2);
}
