#include "apiserver/role_aggregation.h"

#include "apiserver/api.h"
#include "apiserver/apiserver_fixture_test.h"
#include "apiserver/crd/crd_pool.h"
#include "apiserver/ensure_object.h"

#define ROLES "/apis/rbac.authorization.k8s.io/v1/clusterroles"

#define ROLE(name, labels, more)                                                 \
    "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\"," \
    "\"metadata\":{\"name\":\"" name "\",\"labels\":{" labels "}}," more "}"
#define RULES(verb) \
    "\"rules\":[{\"verbs\":[\"" verb "\"],\"apiGroups\":[\"x\"],\"resources\":[\"widgets\"]}]"
#define SELECT(label, value)                                                                  \
    "\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":{\"" label "\":\"" value \
    "\"}}]}"

static void add_verbs(const struct json_value *rule, struct buf *out)
{
    const struct json_value *verb;
    JSON_FOREACH (key, verb, json_get(rule, STR("verbs")))
        buf_add(out, json_to_str(verb));
}

/* The verbs of the rules about widgets, in the order of the rules: "get;list". */
static struct str widget_verbs(const struct json_value *role, struct buf *out)
{
    const struct json_value *rule;
    buf_clear(out);
    JSON_FOREACH (key, rule, json_get(role, STR("rules"))) {
        if (!str_eq(json_path_str(rule, "resources.0"), STR("widgets")))
            continue;
        buf_add(out, out->len ? STR(";") : STR(""));
        add_verbs(rule, out);
    }
    return buf_str(out);
}

static void check_verbs(struct apiserver_fixture *fixture, const char *name, const char *expected)
{
    SCOPED(buf) target = {0};
    SCOPED(buf) verbs = {0};
    TEST_CASE("%s", name);
    buf_print(&target, ROLES "/%s", name);
    CHECK_EQ(apiserver_fixture_get(fixture, buf_c(&target)), 200);
    CHECK_EQ(widget_verbs(json_doc_root(fixture->doc), &verbs), str_from_c(expected));
}

SIM_TEST(role_aggregation_follows_the_roles_that_are_selected)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, ROLES, ROLE("all", "", SELECT("to", "all")));
    check_verbs(&fixture, "all", "");
    apiserver_fixture_create(&fixture, ROLES, ROLE("two", "\"to\":\"all\"", RULES("list")));
    check_verbs(&fixture, "all", "list");
    apiserver_fixture_create(&fixture, ROLES, ROLE("one", "\"to\":\"all\"", RULES("get")));
    check_verbs(&fixture, "all", "get;list");
    apiserver_fixture_create(&fixture, ROLES, ROLE("other", "\"to\":\"none\"", RULES("watch")));
    check_verbs(&fixture, "all", "get;list");

    TEST_CASE("changed rules");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", ROLES "/one", "{" RULES("patch") "}"), 200);
    check_verbs(&fixture, "all", "patch;list");

    TEST_CASE("the same rules are there once");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", ROLES "/one", "{" RULES("list") "}"), 200);
    check_verbs(&fixture, "all", "list");

    TEST_CASE("changed labels");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", ROLES "/other",
                                    "{\"metadata\":{\"labels\":{\"to\":\"all\"}}}"),
             200);
    check_verbs(&fixture, "all", "list;watch");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", ROLES "/other",
                                    "{\"metadata\":{\"labels\":null}}"),
             200);
    check_verbs(&fixture, "all", "list");

    TEST_CASE("deleted roles");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", ROLES "/one", ""), 200);
    check_verbs(&fixture, "all", "list");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", ROLES "/two", ""), 200);
    check_verbs(&fixture, "all", "");
    CHECK_EQ(json_count(json_get(json_doc_root(fixture.doc), STR("rules"))), (size_t)0);
}

SIM_TEST(role_aggregation_fills_admin_edit_and_view)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) before = {0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_get(&fixture, ROLES "/admin"), 200);
    const size_t rules = json_count(json_get(json_doc_root(fixture.doc), STR("rules")));
    CHECK(rules > 0);
    buf_add(&before, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));

    apiserver_fixture_create(
        &fixture, ROLES,
        ROLE("widgets", "\"rbac.authorization.k8s.io/aggregate-to-view\":\"true\"", RULES("get")));
    check_verbs(&fixture, "view", "get");
    check_verbs(&fixture, "edit", "get");
    check_verbs(&fixture, "admin", "get");
    CHECK_EQ(json_count(json_get(json_doc_root(fixture.doc), STR("rules"))), rules + 1);
    CHECK(!str_eq(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), buf_str(&before)));
    check_verbs(&fixture, "system:aggregate-to-view", "");

    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", ROLES "/widgets", ""), 200);
    check_verbs(&fixture, "view", "");
    check_verbs(&fixture, "edit", "");
    check_verbs(&fixture, "admin", "");
    CHECK_EQ(json_count(json_get(json_doc_root(fixture.doc), STR("rules"))), rules);
}

SIM_TEST(role_aggregation_overwrites_rules_that_others_write)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, ROLES, ROLE("one", "\"to\":\"all\"", RULES("get")));
    apiserver_fixture_create(&fixture, ROLES,
                             ROLE("all", "", SELECT("to", "all") "," RULES("delete")));
    check_verbs(&fixture, "all", "get");
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.managedFields.0.manager"),
             STR("clusterrole-aggregation-controller"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.managedFields.0.operation"), STR("Apply"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", ROLES "/all", "{" RULES("delete") "}"), 200);
    check_verbs(&fixture, "all", "get");

    TEST_CASE("without an aggregationRule the rules stay");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", ROLES "/all", "{\"aggregationRule\":null}"),
             200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", ROLES "/one", "{" RULES("list") "}"), 200);
    check_verbs(&fixture, "all", "get");
}

SIM_TEST(role_aggregation_ends_when_roles_select_each_other)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, ROLES, ROLE("a", "\"to\":\"b\"", SELECT("to", "a")));
    apiserver_fixture_create(&fixture, ROLES, ROLE("b", "\"to\":\"a\"", SELECT("to", "b")));
    apiserver_fixture_create(&fixture, ROLES, ROLE("one", "\"to\":\"a\"", RULES("get")));
    apiserver_fixture_create(&fixture, ROLES, ROLE("two", "\"to\":\"b\"", RULES("list")));
    check_verbs(&fixture, "a", "get;list");
    check_verbs(&fixture, "b", "get;list");
}

/* A virtual cluster stores no bootstrap roles; its roles can select them all the same. */
SIM_TEST(role_aggregation_knows_the_roles_that_apis_share)
{
    struct crd_pool *pool = crd_pool_new();
    OWNED(rbac) base = bootstrap_policy_rbac();
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) found = NULL;
    struct api *api = NULL;
    const struct api_options options = {
        .loop = loop_current(),
        .store = store_new(loop_current(), &(struct store_options){0}),
        .pool = pool,
        .base_rbac = base,
    };
    CHECK_OK(api_new(&options, &api));
    CHECK_OK(json_read(
        STR(ROLE("all", "", SELECT("rbac.authorization.k8s.io/aggregate-to-view", "true"))), &doc));
    CHECK_OK(ensure_object(api, doc, ENSURE_IF_MISSING));
    const struct kind *kind = kinds_find(GVR("rbac.authorization.k8s.io", "v1", "clusterroles"));
    CHECK_OK(api_get(api, kind, KEY("", "all"), &found));
    CHECK(json_count(json_get(json_doc_root(found), STR("rules"))) > 1);
    api_free(api);
    crd_pool_free(pool);
}

/* A role with one rule of so many names. */
static void create_large_role(struct apiserver_fixture *fixture, const char *name, const char *verb,
                              size_t names)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"to\":\"all\"}},\"rules\":[{\"verbs\":"
              "[\"%s\"],\"apiGroups\":[\"x\"],\"resources\":[\"widgets\"],\"resourceNames\":[",
              name, verb);
    for (size_t i = 0; i < names; i++)
        buf_print(&body, i ? ",\"%s-%zu\"" : "\"%s-%zu\"", name, i);
    buf_add(&body, STR("]}]}"));
    CHECK_EQ(apiserver_fixture_call(fixture, "POST", ROLES, buf_c(&body)), 201);
}

/* Aggregated roles have a size like all objects. One that is too large holds up no other. */
SIM_TEST(role_aggregation_has_a_limit)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, ROLES, ROLE("all", "", SELECT("to", "all")));
    apiserver_fixture_create(&fixture, ROLES, ROLE("some", "", SELECT("to", "some")));
    create_large_role(&fixture, "a", "get", 100000);
    check_verbs(&fixture, "all", "get");
    create_large_role(&fixture, "b", "list", 100000);
    check_verbs(&fixture, "all", "get;list");

    TEST_CASE("rules of more than 3 MiB");
    create_large_role(&fixture, "c", "watch", 150000);
    check_verbs(&fixture, "all", "get;list");

    TEST_CASE("roles of more than 8 MiB");
    for (size_t i = 0; i < 3; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "d%zu", i);
        create_large_role(&fixture, buf_c(&name), "watch", 150000);
    }
    check_verbs(&fixture, "all", "get;list");
    apiserver_fixture_create(&fixture, ROLES, ROLE("one", "\"to\":\"some\"", RULES("patch")));
    check_verbs(&fixture, "some", "patch");

    TEST_CASE("small enough again");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", ROLES "/a", ""), 200);
    for (size_t i = 0; i < 3; i++) {
        SCOPED(buf) target = {.limit = 0};
        buf_print(&target, ROLES "/d%zu", i);
        CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", buf_c(&target), ""), 200);
    }
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", ROLES "/b", ""), 200);
    check_verbs(&fixture, "all", "watch");
}
