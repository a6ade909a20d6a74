/* Sets that have a policy and depend on each other; what status and metrics say of them. */
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define SET_1    CRS_FIXTURE_SETS "/crs1"
#define OBJECT_A CRS_FIXTURE_OBJECT("1", "a")
#define OBJECT_B CRS_FIXTURE_OBJECT("1", "b")
#define APPLY_B  "PATCH /api/v1/namespaces/default/configmaps/b?fieldManager=corset%3Ans%2Fcrs2"
#define ANNOTATIONS(order) \
    ",\"annotations\":{\"corset.dev/policy\":\"p\",\"corset.dev/depends-on\":\"" order "\"}"
#define DEPENDS_PATCH(order) \
    "{\"metadata\":{\"annotations\":{\"corset.dev/depends-on\":" order "}}}"

/* crs1 with a, and crs2 with b, which depends on crs1; both by policy p. */
static void begin(struct crs_fixture *fixture, const char *spec)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_map(fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    delivery_fixture_policy(fixture, spec);
    crs_fixture_start(fixture, NULL);
}

static void make_sets(struct crs_fixture *fixture)
{
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_set_as(fixture, "crs2", "Reconcile", "ConfigMap/cm2", CRS_FIXTURE_SELECTOR,
                       ANNOTATIONS("crs1"));
}

/* The state of a set on c1, in the words of corset status and of corset_set_clusters. */
static void check_state(struct crs_fixture *fixture, const char *set, const char *state)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) series = {.limit = 0};
    const struct status_cluster *cluster;
    TEST_CASE("%s is %s", set, state);
    delivery_fixture_read_status(fixture, &model);
    cluster = status_model_find_cluster(&model, STR("c1"));
    for (size_t i = 0; i < cluster->cell_count; i++)
        if (str_eq(cluster->cells[i].set->key.name, str_from_c(set)))
            CHECK_EQ(str_from_c(status_state_name(cluster->cells[i].state)), str_from_c(state));
    buf_print(&series, "corset_set_clusters{namespace=\"ns\",set=\"%s\",state=\"%s\"}", set, state);
    CHECK_EQ(crs_fixture_metric(fixture, buf_c(&series)), 1.0);
}

SIM_TEST(a_set_with_a_policy_waits_for_another)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{\"conflicts\":\"Fail\",\"drift\":\"Repair\"}");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1") "?fieldManager=ops",
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
                   "\"data\":{\"k\":\"9\"}}");
    make_sets(&fixture);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied");
    crs_fixture_await_condition(&fixture, "crs2", "ResourcesApplied", "False/NotApplied");
    check_state(&fixture, "crs1", "failed");
    check_state(&fixture, "crs2", "waiting");
    CHECK(!crs_fixture_exists(&fixture, OBJECT_B));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs2", "state"), STR(""));

    TEST_CASE("the policy takes what others own: first the one, then the other");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Repair\"}");
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT_A, "data.k"), STR("1"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs2", "state"), STR("Ready"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], APPLY_B), 1);

    TEST_CASE("what has begun is repaired and changed, whatever becomes of the other");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied");
    delivery_fixture_edit(&fixture, OBJECT_B, "{\"data\":{\"k\":\"7\"}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT_B, "data.k"), STR("1"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "2"));
    crs_fixture_await(&fixture, OBJECT_B, "data.k", "2");
    check_state(&fixture, "crs1", "failed");
    check_state(&fixture, "crs2", "applied");
}

SIM_TEST(status_and_metrics_say_the_same_of_sets_that_are_not_worked_on)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{\"drift\":\"Repair\"}");
    make_sets(&fixture);
    crs_fixture_await_applied(&fixture, "crs2");
    check_state(&fixture, "crs1", "applied");

    TEST_CASE("a cycle: nothing is repaired either");
    crs_fixture_do(&fixture, "PATCH", SET_1, DEPENDS_PATCH("\"crs2\""));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError");
    crs_fixture_await_condition(&fixture, "crs2", "ResourcesApplied", "False/InternalError");
    delivery_fixture_edit(&fixture, OBJECT_A, "{\"data\":{\"k\":\"7\"}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT_A, "data.k"), STR("7"));
    check_state(&fixture, "crs1", "failed");
    check_state(&fixture, "crs2", "failed");

    TEST_CASE("a cluster that has nothing of them yet");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    check_state(&fixture, "crs1", "failed");
    check_state(&fixture, "crs2", "failed");

    TEST_CASE("the cycle is cut");
    crs_fixture_do(&fixture, "PATCH", SET_1, DEPENDS_PATCH("null"));
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT_A, "data.k"), STR("1"));
    check_state(&fixture, "crs1", "applied");
    check_state(&fixture, "crs2", "applied");

    TEST_CASE("the policy is gone");
    crs_fixture_do(&fixture, "DELETE", DELIVERY_FIXTURE_POLICY, NULL);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError");
    crs_fixture_await_condition(&fixture, "crs2", "ResourcesApplied", "False/InternalError");
    check_state(&fixture, "crs1", "failed");
    check_state(&fixture, "crs2", "failed");
}
