/* FL-10, FL-11, FL-15, FL-17: drift is put right, and nothing else is sent. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define OBJECT    CRS_FIXTURE_OBJECT("1", "a")
#define OTHER     CRS_FIXTURE_OBJECT("1", "b")
#define REPAIR    "{\"drift\":\"Repair\"}"
#define MANIFESTS CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1")
#define CHANGE    "{\"data\":{\"k\":\"2\"}}"
#define ADD       "{\"data\":{\"k\":\"2\",\"other\":\"x\"},\"metadata\":{\"labels\":{\"team\":\"t\"}}}"
#define FREQUENT  (10 * SECOND) /* interval of checks */

/* Waits until the object is as applied, and for what follows that. */
static void await_repaired(struct crs_fixture *fixture)
{
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(fixture, OBJECT, "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_look(fixture, OBJECT, "metadata.managedFields.0.manager"),
             STR("corset:ns/crs1"));
    CHECK_EQ(
        json_to_str(json_get(json_path(json_doc_root(fixture->apiserver.doc), "metadata.labels"),
                             STR("corset.dev/managed"))),
        STR("true"));
    delivery_fixture_check_state(fixture, "Ready", "True/NoDrift");
}

SIM_TEST(fl_10_what_somebody_changed_is_put_back)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{\"drift\":\"Repair\",\"conflicts\":\"Fail\"}",
                                   MANIFESTS);
    delivery_fixture_edit(&fixture, OBJECT, ADD);
    await_repaired(&fixture);
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.other"), STR("x"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "metadata.labels.team"), STR("t"));
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftRepaired"), (size_t)1);
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps/b"), (size_t)0);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)2); /* the first one names who has it */
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_drift_detected_total{kind=\"ConfigMap\"}"), 1);
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_drift_repaired_total{kind=\"ConfigMap\"}"), 1);
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_contested_objects"), 0);
    CHECK(crs_fixture_metric(&fixture, "corset_drift_check_seconds") < 331);

    TEST_CASE("nothing is sent while nothing changes");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    CHECK_EQ(fixture.management.writes, (size_t)0);
}

SIM_TEST(fl_11_whatever_makes_an_object_no_longer_ours_is_put_right)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, REPAIR, MANIFESTS);
    for (size_t i = 0; i < DELIVERY_FIXTURE_LOSSES; i++) {
        delivery_fixture_lose(&fixture, OBJECT, i);
        await_repaired(&fixture);
        CHECK_EQ(delivery_fixture_events(&fixture, "DriftRepaired"), i + 1);
        CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps/b"), (size_t)0);
    }
    TEST_CASE("made anew by hand, with equal content");
    crs_fixture_do(&fixture, "DELETE", OBJECT, NULL);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1"),
                   "{\"metadata\":{\"name\":\"a\",\"labels\":{\"corset.dev/managed\":\"true\"}},"
                   "\"data\":{\"k\":\"1\"}}");
    await_repaired(&fixture);
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftRepaired"), DELIVERY_FIXTURE_LOSSES + 1);
}

/* Everything is applied, and checked often. */
static void begin_frequent(struct crs_fixture *fixture)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", MANIFESTS);
    delivery_fixture_policy(fixture, REPAIR);
    crs_fixture_start(fixture, &(struct controller_manager_options){.drift_check = FREQUENT});
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
}

/* Somebody who sets the field again within 100 ms, always. */
static struct error *oppose(void *data)
{
    struct crs_fixture *fixture = data;
    for (;;) {
        TRY(fiber_sleep(100 * MILLISECOND));
        if (str_eq(crs_fixture_look(fixture, OBJECT, "data.k"), STR("1")))
            delivery_fixture_edit(fixture, OBJECT, CHANGE);
    }
}

/* Repairs in a span of time. */
static size_t count_repairs(struct crs_fixture *fixture, duration span)
{
    crs_fixture_forget(fixture);
    CHECK_OK(fiber_sleep(span));
    return proxy_count(&fixture->workloads[0], "force=true") -
           proxy_count(&fixture->workloads[0], "dryRun=All");
}

SIM_TEST(fl_15_what_is_changed_after_every_repair_is_left_alone)
{
    SCOPED(crs_fixture) fixture;
    begin_frequent(&fixture);
    SCOPED(scope) scope = {0};
    scope_start(&scope, "opponent", oppose, &fixture);
    CHECK_EQ(count_repairs(&fixture, 5 * MINUTE), (size_t)5);
    delivery_fixture_check_state(&fixture, "Contested", "False/Contested");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.reason"), STR("Contested"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("data.k changed by kubectl-edit"));
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftContested"), (size_t)1);
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_contested_objects"), 1);

    TEST_CASE("what is left alone and does not change is listed, and not read or dry-run again");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK(crs_fixture_workload_requests(&fixture) > 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps/a"), (size_t)0);
    delivery_fixture_edit(&fixture, OBJECT, "{\"data\":{\"k\":\"3\"}}");
    CHECK_OK(fiber_sleep(30 * SECOND));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "dryRun=All"), (size_t)1);

    TEST_CASE("one repair in the next ten minutes, and a longer pause");
    CHECK_EQ(count_repairs(&fixture, 10 * MINUTE), (size_t)1);
    CHECK_EQ(count_repairs(&fixture, 10 * MINUTE), (size_t)0);
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftContested"), (size_t)2);

    TEST_CASE("the opponent goes, and all is well");
    scope_cancel(&scope);
    error_free(scope_wait(&scope));
    CHECK_OK(fiber_sleep(20 * MINUTE));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("1"));
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");
}

SIM_TEST(fl_17_what_changed_while_nobody_looked_is_put_back)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    delivery_fixture_begin_checked(&fixture, REPAIR, MANIFESTS);
    buf_add(&version, crs_fixture_look(&fixture, OTHER, "metadata.resourceVersion"));
    crs_fixture_stop(&fixture);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    await_repaired(&fixture);
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftRepaired"), (size_t)1);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)2);
    CHECK_EQ(crs_fixture_look(&fixture, OTHER, "metadata.resourceVersion"), buf_str(&version));
}

SIM_TEST(what_is_known_to_have_drifted_is_repaired_as_soon_as_the_policy_says_so)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", MANIFESTS);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    delivery_fixture_policy(&fixture, REPAIR);
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("1"));
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");
}

SIM_TEST(what_cannot_be_put_back_has_failed)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, REPAIR, MANIFESTS);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){"PATCH", "configmaps/a", 1000, .status = 403});
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied");
    fixture.workloads[0].faults[0].times = 0;
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True");
    await_repaired(&fixture);
}

SIM_TEST(what_a_server_does_not_explain_is_put_back_all_the_same)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, REPAIR, MANIFESTS);
    crs_fixture_stop(&fixture);
    delivery_fixture_edit(&fixture, OBJECT, CHANGE);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){"PATCH", "dryRun=All", 1000, .status = 403});
    crs_fixture_start(&fixture, NULL);
    await_repaired(&fixture);
}

SIM_TEST(what_is_contested_and_not_explained_waits_for_the_next_check)
{
    SCOPED(crs_fixture) fixture;
    begin_frequent(&fixture);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){"PATCH", "dryRun=All", 100000, .status = 403});
    SCOPED(scope) scope = {0};
    scope_start(&scope, "opponent", oppose, &fixture);
    CHECK_OK(fiber_sleep(3 * MINUTE));
    delivery_fixture_check_state(&fixture, "Contested", "False/Contested");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(proxy_count(&fixture.workloads[0], "labelSelector=corset.dev%2Fmanaged") <= 7);
    scope_cancel(&scope);
    error_free(scope_wait(&scope));
}

/* An object that was made anew has another UID, which the digest of the record has to know. */
static void check_restart_after_repair(bool watches)
{
    const struct controller_manager_options options = {.drift_watch = watches};
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, REPAIR, MANIFESTS);
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, &options);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    crs_fixture_do(&fixture, "DELETE", OBJECT, NULL);
    while (!crs_fixture_exists(&fixture, OBJECT))
        CHECK_OK(fiber_sleep(SECOND));
    CHECK_OK(fiber_sleep(watches ? 15 * SECOND : SECOND));
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, &options);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "dryRun=All"), (size_t)0);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    CHECK_EQ(fixture.management.writes, (size_t)0);
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");
}

SIM_TEST(a_restart_after_a_repair_asks_for_lists_alone)
{
    TEST_CASE("checked at the interval");
    check_restart_after_repair(false);
}

SIM_TEST(a_restart_after_a_repair_asks_for_lists_alone_with_watches)
{
    TEST_CASE("watched");
    check_restart_after_repair(true);
}
