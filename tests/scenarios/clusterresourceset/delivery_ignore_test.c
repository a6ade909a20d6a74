/* FL-13, FL-14: fields that others may change. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define RULE(path)                                                                   \
    "{\"drift\":\"Repair\",\"ignore\":[{\"group\":\"apps\",\"kind\":\"Deployment\"," \
    "\"paths\":[\"" path "\"]}]}"
#define DEPLOYMENT(image)                                                                      \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"       \
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: " \
    "{labels: {app: web}}\n    spec: {containers: [{name: web, image: \"" image "\"}]}\n"
#define WEB         CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/web"
#define IMAGE       "spec.template.spec.containers.0.image"
#define REPLICAS(n) "{\"spec\":{\"replicas\":" n "}}"

#define WEBHOOKS              \
    CRS_FIXTURE_WORKLOAD("1") \
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w"
#define WEBHOOK(policy)                                                                   \
    "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n" \
    "metadata: {name: w}\nwebhooks:\n- name: a.example.com\n  failurePolicy: " policy     \
    "\n  sideEffects: None\n  admissionReviewVersions: [v1]\n  clientConfig: {url: "      \
    "\"https://a.example.com\", caBundle: \"Cg==\"}\n"

/* The autoscaler sets 8 after the object was read and before it is applied, once. */
static void scale_before_apply(struct proxy *proxy, struct str method, struct str target)
{
    if (!str_eq(method, STR("PATCH")) || !str_contains(target, STR("deployments/web")))
        return;
    proxy->on_request = NULL;
    delivery_fixture_edit(proxy->data, WEB, REPLICAS("8"));
}

SIM_TEST(fl_13_replicas_of_an_autoscaler_stay)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, RULE("/spec/replicas"), DEPLOYMENT("web:1"));
    CHECK_EQ(crs_fixture_look(&fixture, WEB, "spec.replicas"), STR("2"));
    delivery_fixture_edit(&fixture, WEB, REPLICAS("7"));
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");

    TEST_CASE("the image changes");
    crs_fixture_map(&fixture, "cm1", DEPLOYMENT("web:2"));
    crs_fixture_await(&fixture, WEB, IMAGE, "web:2");
    CHECK_EQ(crs_fixture_look(&fixture, WEB, "spec.replicas"), STR("7"));

    TEST_CASE("and the replicas between read and apply");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    crs_fixture_forget(&fixture);
    fixture.workloads[0].data = &fixture;
    fixture.workloads[0].on_request = scale_before_apply;
    crs_fixture_map(&fixture, "cm1", DEPLOYMENT("web:3"));
    crs_fixture_await(&fixture, WEB, IMAGE, "web:3");
    CHECK_EQ(crs_fixture_look(&fixture, WEB, "spec.replicas"), STR("8"));
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)2); /* the first one was a conflict */

    TEST_CASE("what else is changed is drift, and the replicas stay when it is put back");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_edit(&fixture, WEB,
                          "{\"spec\":{\"replicas\":9,\"template\":{\"metadata\":{\"labels\":{"
                          "\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"web\","
                          "\"image\":\"web:x\"}]}}}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(&fixture, WEB, IMAGE), STR("web:3"));
    CHECK_EQ(crs_fixture_look(&fixture, WEB, "spec.replicas"), STR("9"));
}

SIM_TEST(fl_14_what_an_injector_writes_into_a_list_stays)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(
        &fixture,
        "{\"drift\":\"Repair\",\"ignore\":[{\"paths\":[\"/webhooks/*/clientConfig/caBundle\"]}]}",
        WEBHOOK("Ignore"));
    crs_fixture_do(&fixture, "GET", WEBHOOKS, NULL);
    SCOPED(buf) injected = {.limit = 0};
    buf_print(&injected,
              "{\"webhooks\":[{\"name\":\"a.example.com\",\"failurePolicy\":\"Ignore\","
              "\"sideEffects\":\"None\",\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{"
              "\"url\":\"https://a.example.com\",\"caBundle\":\"QUJD\"}}]}");
    delivery_fixture_edit(&fixture, WEBHOOKS, buf_c(&injected));
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);
    crs_fixture_map(&fixture, "cm1", WEBHOOK("Fail"));
    crs_fixture_await(&fixture, WEBHOOKS, "webhooks.0.failurePolicy", "Fail");
    CHECK_EQ(crs_fixture_look(&fixture, WEBHOOKS, "webhooks.0.clientConfig.caBundle"), STR("QUJD"));
}

SIM_TEST(another_rule_is_no_drift)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", DEPLOYMENT("web:1"));
    delivery_fixture_edit(&fixture, WEB, REPLICAS("7"));
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    crs_fixture_forget(&fixture);
    delivery_fixture_policy(&fixture, RULE("/spec/replicas"));
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    delivery_fixture_check_state(&fixture, "Ready", "True/NoDrift");
    CHECK_EQ(crs_fixture_look(&fixture, WEB, "spec.replicas"), STR("7"));
    CHECK_EQ(delivery_fixture_applies(&fixture), (size_t)0);

    TEST_CASE("without the rule it is");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Repair\"}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(&fixture, WEB, "spec.replicas"), STR("2"));
}
