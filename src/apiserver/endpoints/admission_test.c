#include "apiserver/endpoints/admission.h"

#include "apiserver/stage_test.h"

#define MAP(name) \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"}}"

static int apply(struct stage *stage, const char *target)
{
    int status = 0;
    CHECK_OK(stage_try(stage, "PATCH", str_from_c(target), "application/apply-patch+yaml",
                       STR(MAP("a")), &status));
    return status;
}

SIM_TEST(nothing_is_created_where_there_is_no_namespace)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    CHECK_OK(stage_start(&stage));
    CHECK_EQ(stage_call(&stage, "POST", "/api/v1/namespaces/none/configmaps", MAP("a")), 404);
    CHECK_EQ(stage_text(&stage, "message"), STR("namespaces \"none\" not found"));
    CHECK_EQ(apply(&stage, "/api/v1/namespaces/none/configmaps/a?fieldManager=m"), 404);
    CHECK_EQ(stage_get(&stage, "/api/v1/namespaces/none/configmaps"), 200);
}

SIM_TEST(nothing_is_created_in_a_namespace_that_is_going)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    CHECK_OK(stage_start(&stage));
    stage_create(&stage, "/api/v1/namespaces",
                 "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"going\","
                 "\"finalizers\":[\"test/hold\"]}}");
    stage_create(&stage, "/api/v1/namespaces/going/configmaps",
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"held\","
                 "\"finalizers\":[\"test/hold\"]}}");
    CHECK_EQ(stage_call(&stage, "DELETE", "/api/v1/namespaces/going", ""), 200);
    CHECK_EQ(stage_call(&stage, "POST", "/api/v1/namespaces/going/configmaps", MAP("a")), 403);
    CHECK_CONTAINS(buf_str(&stage.answer), STR("because it is being terminated"));
    CHECK_EQ(apply(&stage, "/api/v1/namespaces/going/configmaps/a?fieldManager=m"), 403);
    /* What is there may still change. */
    CHECK_EQ(stage_call(&stage, "PATCH", "/api/v1/namespaces/going/configmaps/held",
                        "{\"data\":{\"k\":\"v\"}}"),
             200);
}

SIM_TEST(a_namespace_that_must_stay_may_be_changed)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    CHECK_OK(stage_start(&stage));
    CHECK_EQ(stage_call(&stage, "DELETE", "/api/v1/namespaces/default", ""), 403);
    CHECK_EQ(stage_text(&stage, "reason"), STR("Forbidden"));
    CHECK_EQ(stage_call(&stage, "PATCH", "/api/v1/namespaces/default",
                        "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
             200);
    CHECK_EQ(stage_call(&stage, "DELETE", "/api/v1/namespaces/kube-node-lease", ""), 200);
}
