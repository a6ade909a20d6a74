#include "apiserver/default_objects.h"

#include "apiserver/apiserver_fixture_test.h"

#define SPACE     "/api/v1/namespaces/n"
#define ACCOUNT   SPACE "/serviceaccounts/default"
#define AUTHORITY SPACE "/configmaps/kube-root-ca.crt"

static void start_with_namespace(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
    apiserver_fixture_create(
        fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}");
}

static size_t count_items(struct apiserver_fixture *fixture, const char *target)
{
    CHECK_EQ(apiserver_fixture_get(fixture, target), 200);
    return json_count(json_path(json_doc_root(fixture->doc), "items"));
}

SIM_TEST(every_namespace_has_the_account_default)
{
    SCOPED(apiserver_fixture) fixture;
    start_with_namespace(&fixture);
    CHECK_EQ(count_items(&fixture, SPACE "/serviceaccounts"), (size_t)0);
    CHECK_EQ(count_items(&fixture, SPACE "/serviceaccounts?fieldSelector=metadata.name%3Ddefault"),
             (size_t)1);
    CHECK_EQ(apiserver_fixture_get(&fixture, ACCOUNT), 200);
    CHECK(apiserver_fixture_text(&fixture, "metadata.uid").len > 0);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", ACCOUNT, ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, ACCOUNT), 200);
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces/kube-system/serviceaccounts/default/token",
        "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{}}");
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/x/serviceaccounts/default"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, SPACE "/serviceaccounts/other"), 404);
}

static void check_authority(struct apiserver_fixture *fixture)
{
    CHECK_EQ(apiserver_fixture_get(fixture, AUTHORITY), 200);
    CHECK_EQ(json_to_str(json_get(json_path(json_doc_root(fixture->doc), "data"), STR("ca.crt"))),
             apiserver_authority(fixture->server));
}

SIM_TEST(every_namespace_has_the_certificates_of_the_server)
{
    SCOPED(apiserver_fixture) fixture;
    start_with_namespace(&fixture);
    check_authority(&fixture);
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "PATCH", AUTHORITY, "{\"data\":{\"ca.crt\":\"mine\"}}"),
        200);
    check_authority(&fixture);
}

/* What is made in a namespace that is about to vanish would keep it from vanishing. */
SIM_TEST(nothing_is_made_in_a_namespace_that_is_deleted)
{
    SCOPED(apiserver_fixture) fixture;
    start_with_namespace(&fixture);
    apiserver_fixture_create(&fixture, SPACE "/configmaps",
                             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                             "\"name\":\"held\",\"finalizers\":[\"test/held\"]}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, ACCOUNT), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, AUTHORITY), 404);
}

SIM_TEST(the_service_kubernetes_leads_to_the_server)
{
    static const char *const lists[] = {"/api/v1/services", "/api/v1/namespaces/default/services"};
    SCOPED(apiserver_fixture) fixture;
    start_with_namespace(&fixture);
    for (size_t i = 0; i < COUNT(lists); i++) {
        int64_t port = 0;
        TEST_CASE("%s", lists[i]);
        CHECK_EQ(count_items(&fixture, lists[i]), (size_t)1);
        const struct json_value *spec = json_path(json_doc_root(fixture.doc), "items.0.spec");
        CHECK_EQ(json_path_str(spec, "clusterIP"), STR("10.96.0.1"));
        CHECK(json_to_int64(json_path(spec, "ports.0.targetPort"), &port));
        CHECK_EQ(port, (int64_t)apiserver_port(fixture.server));
    }
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/default/services/kubernetes"),
             200);
    CHECK_EQ(count_items(&fixture, SPACE "/services"), (size_t)0);
}
