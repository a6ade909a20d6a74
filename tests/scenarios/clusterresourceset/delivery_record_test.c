/* FL-16, FL-18, and what a record of a set with a policy says. */
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define OBJECT     CRS_FIXTURE_OBJECT("1", "a")
#define NO_RECORDS "{\"metadata\":{\"annotations\":{\"corset.dev/delivery\":null}}}"

static void begin(struct crs_fixture *fixture)
{
    delivery_fixture_begin(fixture, "{}", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(fixture, "crs1");
}

/* Nothing was written to c1 since crs_fixture_forget(). */
static void check_untouched(struct crs_fixture *fixture)
{
    CHECK_EQ(proxy_count(&fixture->workloads[0], "POST "), 0);
    CHECK_EQ(proxy_count(&fixture->workloads[0], "PATCH "), 0);
}

SIM_TEST(a_record_says_which_revision_a_cluster_has)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) first = {.limit = 0};
    begin(&fixture);
    buf_add(&first, delivery_fixture_record(&fixture, "crs1", "revision"));
    CHECK_EQ(first.len, (size_t)12);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "objects"), STR("1"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "ready"), STR("1"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "kinds"), STR("[\"v1/ConfigMap\"]"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));

    TEST_CASE("another content, and a kind that stays in it");
    crs_fixture_map(&fixture, "cm1",
                    "apiVersion: v1\nkind: Namespace\nmetadata: {name: space}\n---\n"
                    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: space}\n");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "ready"), STR("1"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "kinds"),
             STR("[\"v1/ConfigMap\",\"v1/Namespace\"]"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.count"), STR("1"));
    CHECK(!str_eq(delivery_fixture_record(&fixture, "crs1", "revision"), buf_str(&first)));

    TEST_CASE("the old one again");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "revision"), buf_str(&first));

    TEST_CASE("without the policy there is nothing to tell");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, DELIVERY_FIXTURE_NAMES("null"));
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "revision"), STR(""));
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

SIM_TEST(fl_16_after_a_restart_nothing_is_applied)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    begin(&fixture);
    crs_fixture_stop(&fixture);
    buf_add(&version, crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "metadata.resourceVersion"));
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(30 * MINUTE));
    check_untouched(&fixture);
    CHECK(proxy_count(&fixture.workloads[0], "labelSelector=corset.dev%2Fmanaged") > 0);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "metadata.resourceVersion"),
             buf_str(&version));
}

SIM_TEST(fl_18_a_record_that_was_removed_is_made_anew)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    SCOPED(buf) revision = {.limit = 0};
    begin(&fixture);
    buf_add(&version, crs_fixture_look(&fixture, OBJECT, "metadata.resourceVersion"));
    buf_add(&revision, delivery_fixture_record(&fixture, "crs1", "revision"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING, NO_RECORDS);
    CHECK_OK(fiber_sleep(30 * MINUTE)); /* a resync */
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "revision"), buf_str(&revision));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "kinds"), STR("[\"v1/ConfigMap\"]"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "metadata.resourceVersion"), buf_str(&version));
}

SIM_TEST(what_is_no_longer_said_to_be_applied_is_recorded_again)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    begin(&fixture);
    buf_add(&version, crs_fixture_look(&fixture, OBJECT, "metadata.resourceVersion"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING,
                   "{\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"crs1\",\"resources\":[{"
                   "\"kind\":\"ConfigMap\",\"name\":\"cm1\",\"applied\":false}]}]}}");
    CHECK_OK(fiber_sleep(30 * MINUTE)); /* a resync */
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "metadata.resourceVersion"), buf_str(&version));
}

SIM_TEST(a_cluster_that_is_whole_gets_no_incomplete_revision)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) revision = {.limit = 0};
    delivery_fixture_begin(&fixture, "{}", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm1 ConfigMap/cm2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "1");
    crs_fixture_await_applied(&fixture, "crs1");
    buf_add(&revision, delivery_fixture_record(&fixture, "crs1", "revision"));

    TEST_CASE("one resource goes, the other changes: nothing is sent");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_MAPS "/cm2", NULL);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError");
    crs_fixture_forget(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_OK(fiber_sleep(MINUTE));
    check_untouched(&fixture);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "revision"), buf_str(&revision));

    TEST_CASE("a cluster that joins gets what there is, and says so");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
    crs_fixture_await(&fixture, OBJECT, "data.k", "2");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "incomplete"), STR("true"));

    TEST_CASE("it comes back");
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "2");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "incomplete"), STR(""));
}

SIM_TEST(a_policy_that_changes_sends_nothing)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    crs_fixture_forget(&fixture);
    delivery_fixture_policy(&fixture, "{\"drift\":\"Ignore\"}");
    CHECK_OK(fiber_sleep(MINUTE));
    check_untouched(&fixture);
}
