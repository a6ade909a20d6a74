#include "apiserver/endpoints/admission.h"

#include "apiserver/apiserver_fixture_test.h"

#define MAP(name) \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"}}"

static int apply(struct apiserver_fixture *fixture, const char *target)
{
    int status = 0;
    CHECK_OK(apiserver_fixture_try(fixture, "PATCH", str_from_c(target),
                                   "application/apply-patch+yaml", STR(MAP("a")), &status));
    return status;
}

SIM_TEST(nothing_is_created_where_there_is_no_namespace)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "POST", "/api/v1/namespaces/none/configmaps", MAP("a")),
        404);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"), STR("namespaces \"none\" not found"));
    CHECK_EQ(apply(&fixture, "/api/v1/namespaces/none/configmaps/a?fieldManager=m"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/none/configmaps"), 200);
}

SIM_TEST(nothing_is_created_in_a_namespace_that_is_going)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"going\","
        "\"finalizers\":[\"test/hold\"]}}");
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces/going/configmaps",
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"held\","
        "\"finalizers\":[\"test/hold\"]}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/going", ""), 200);
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "POST", "/api/v1/namespaces/going/configmaps", MAP("a")),
        403);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("because it is being terminated"));
    CHECK_EQ(apply(&fixture, "/api/v1/namespaces/going/configmaps/a?fieldManager=m"), 403);
    /* What is there may still change. */
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", "/api/v1/namespaces/going/configmaps/held",
                                    "{\"data\":{\"k\":\"v\"}}"),
             200);
}

SIM_TEST(a_namespace_that_must_stay_may_be_changed)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/default", ""), 403);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("Forbidden"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", "/api/v1/namespaces/default",
                                    "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
             200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/kube-node-lease", ""),
             200);
}
