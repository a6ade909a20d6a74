/* FL-03: sets whose policy is missing, or cannot be followed. */
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define REFUSED "False/InternalError/" CRS_FIXTURE_CHECK_LOGS ": "

/* Cluster c1, cm1, and crs1 that names policy p, which is not there. */
static void begin(struct crs_fixture *fixture, const char *strategy)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", strategy, "ConfigMap/cm1");
}

static void check_refused(struct crs_fixture *fixture, const char *text)
{
    SCOPED(buf) expected = {.limit = 0};
    buf_print(&expected, REFUSED "%s", text);
    crs_fixture_await_condition(fixture, "crs1", "ResourcesApplied", buf_c(&expected));
    CHECK_EQ(crs_fixture_condition(fixture, "crs1", "ResourcesApplied"), buf_str(&expected));
    CHECK_EQ(proxy_count(&fixture->workloads[0], "POST "), 0);
    CHECK_EQ(proxy_count(&fixture->workloads[0], "PATCH "), 0);
}

SIM_TEST(fl_03_without_its_policy_a_set_is_not_worked_on)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "Reconcile");
    check_refused(&fixture, "DeliveryPolicy ns/p does not exist");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Failed"),
             STR("True/operatorError/Not everything is applied: DeliveryPolicy ns/p does not "
                 "exist"));
    crs_fixture_check_quiet(&fixture, 2 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));

    TEST_CASE("it comes");
    delivery_fixture_policy(&fixture, "{}");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));

    TEST_CASE("it goes");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "DELETE", DELIVERY_FIXTURE_POLICY, NULL);
    check_refused(&fixture, "DeliveryPolicy ns/p does not exist");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));

    TEST_CASE("it comes again");
    delivery_fixture_policy(&fixture, "{}");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True");
}

SIM_TEST(fl_03_apply_once_has_no_policy)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "ApplyOnce");
    delivery_fixture_policy(&fixture, "{}");
    check_refused(&fixture, "DeliveryPolicy ns/p is for the strategy Reconcile, and the set has "
                            "ApplyOnce");
    TEST_CASE("without the annotation it is a set like others");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, DELIVERY_FIXTURE_NAMES("null"));
    crs_fixture_await_applied(&fixture, "crs1");
}

SIM_TEST(fl_03_a_policy_that_is_not_valid_is_not_followed)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "Reconcile");
    crs_fixture_put(&fixture, "{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\","
                              "\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\"},\"spec\":{"
                              "\"drift\":\"Always\"}}");
    check_refused(
        &fixture,
        "DeliveryPolicy ns/p is not valid: [spec.drift: Unsupported value: \"Always\": "
        "supported values: \"Ignore\", \"Report\", \"Repair\", <nil>: Invalid value: null: "
        "some validation rules were not checked because the object was invalid; correct "
        "the existing errors to complete validation]");
    crs_fixture_do(&fixture, "PATCH", DELIVERY_FIXTURE_POLICY, "{\"spec\":{\"drift\":\"Ignore\"}}");
    crs_fixture_await_applied(&fixture, "crs1");
    TEST_CASE("no name at all");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, DELIVERY_FIXTURE_NAMES("\"../p\""));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                REFUSED "the annotation corset.dev/policy is not the name of a "
                                        "DeliveryPolicy: \"../p\"");
}

SIM_TEST(fl_03_a_policy_that_cannot_be_read_is_tried_again)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "Reconcile");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False");
    crs_fixture_stop(&fixture);
    delivery_fixture_policy(&fixture, "{}");
    proxy_fail(&fixture.management,
               (struct proxy_fault){
                   .method = "GET", .part = "deliverypolicies", .times = 20, .status = 403});
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                REFUSED "DeliveryPolicy ns/p cannot be read: ");
    crs_fixture_await_applied(&fixture, "crs1");
}

SIM_TEST(a_set_without_a_policy_asks_for_none)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_EQ(proxy_count(&fixture.management, "deliverypolicies"), 0);
}
