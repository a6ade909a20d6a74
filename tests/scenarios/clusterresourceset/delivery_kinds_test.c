/* Objects of a set with a policy whose kind a cluster no longer serves, or in another version. */
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define DEFINITIONS \
    CRS_FIXTURE_WORKLOAD("1") "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define DEFINITION DEFINITIONS "/webs.kinds.corset.dev"
#define VERSION(name, served, storage)                                                       \
    "{\"name\":\"" name "\",\"served\":" served ",\"storage\":" storage ",\"schema\":{"      \
    "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\"" \
    ",\"properties\":{\"size\":{\"type\":\"integer\"}}}}}}}"
#define VERSIONS(alpha) \
    "\"versions\":[" VERSION("v1", "true", "true") "," VERSION("v1alpha1", alpha, "false") "]"
#define DEFINE                                                                                  \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","        \
    "\"metadata\":{\"name\":\"webs.kinds.corset.dev\"},\"spec\":{\"group\":\"kinds.corset.dev"  \
    "\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"webs\",\"singular\":\"web\",\"kind\":" \
    "\"Web\",\"listKind\":\"WebList\"}," VERSIONS("true") "}}"
#define WEB_AT CRS_FIXTURE_WORKLOAD("1") "/apis/kinds.corset.dev/v1/namespaces/default/webs/w"
#define WEB                                                                             \
    "apiVersion: kinds.corset.dev/v1alpha1\nkind: Web\nmetadata: {name: w, namespace: " \
    "default}\nspec: {size: 1}\n"
#define NO_KIND "no matches for kind \"Web\" in version \"kinds.corset.dev/v1alpha1\""

/* The kind is there, and an object of it is applied and was checked. */
static void begin_defined(struct crs_fixture *fixture, const char *policy, bool watches)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_do(fixture, "POST", DEFINITIONS, DEFINE);
    crs_fixture_map(fixture, "cm1", WEB "---\n" CRS_FIXTURE_MANIFEST("a", "1"));
    delivery_fixture_policy(fixture, policy);
    crs_fixture_start(fixture, &(struct controller_manager_options){.drift_watch = watches});
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(delivery_fixture_record(fixture, "crs1", "state"), STR("Ready"));
    crs_fixture_forget(fixture);
}

SIM_TEST(an_object_whose_kind_is_gone_has_failed_and_not_drifted)
{
    static const struct {
        const char *name, *policy;
        bool watches;
    } cases[] = {
        {"reported",              "{}",                     false},
        {"repaired",              "{\"drift\":\"Repair\"}", false},
        {"reported after events", "{}",                     true },
        {"repaired after events", "{\"drift\":\"Repair\"}", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", cases[i].name);
        begin_defined(&fixture, cases[i].policy, cases[i].watches);
        crs_fixture_do(&fixture, "DELETE", DEFINITION, NULL);
        CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
        CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
        CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"), STR(NO_KIND));
        CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.count"), STR("1"));
        CHECK(str_contains(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                           STR(NO_KIND)));
        CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)0);
        CHECK_EQ(delivery_fixture_events(&fixture, "DriftRepaired"), (size_t)0);
        crs_fixture_do(&fixture, "POST", DEFINITIONS, DEFINE);
        CHECK_OK(fiber_sleep(20 * MINUTE)); /* until it is tried again */
        crs_fixture_await_applied(&fixture, "crs1");
        CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
        CHECK_EQ(crs_fixture_look(&fixture, WEB_AT, "spec.size"), STR("1"));
    }
}

SIM_TEST(an_object_is_read_in_the_version_that_its_kind_is_served_in)
{
    SCOPED(crs_fixture) fixture;
    begin_defined(&fixture, "{\"health\":{\"timeout\":\"5m\"}}", false);
    crs_fixture_do(&fixture, "PATCH", DEFINITION, "{\"spec\":{" VERSIONS("false") "}}");
    CHECK_OK(fiber_sleep(30 * MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why"), STR(""));
    CHECK(proxy_count(&fixture.workloads[0], "GET /apis/kinds.corset.dev/v1/webs?") > 2);
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);

    TEST_CASE("changed: what cannot be applied any more is said, and not that it has drifted");
    delivery_fixture_edit(&fixture, WEB_AT, "{\"spec\":{\"size\":2}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"), STR(NO_KIND));
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)0);
}

SIM_TEST(an_object_whose_kind_is_gone_is_not_ready)
{
    SCOPED(crs_fixture) fixture;
    begin_defined(&fixture, "{\"drift\":\"Ignore\",\"health\":{\"timeout\":\"5m\"}}", false);
    crs_fixture_do(&fixture, "DELETE", DEFINITION, NULL);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.message"),
             STR("not ready: NoKind: " NO_KIND));
    crs_fixture_await_condition(&fixture, "crs1", "Ready", "False/NotReady");
}
