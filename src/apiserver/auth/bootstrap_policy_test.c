#include "apiserver/auth/auth_fixture_test.h"
#include "json/compare.h"

static struct error *ask_path(struct auth_fixture *fixture, const char *user, const char *group,
                              const char *path)
{
    const struct rbac_attributes attributes = {.user = auth_fixture_user(fixture, user, group),
                                               .verb = STR("get"),
                                               .path = str_from_c(path)};
    return authorize(&fixture->auth, &fixture->arena, &attributes);
}

TEST(bootstrap_paths_anybody_may_read)
{
    static const struct {
        const char *path;
        bool anonymous, authenticated;
    } cases[] = {
        {"/healthz",      true,  true },
        {"/livez",        true,  true },
        {"/readyz",       true,  true },
        {"/version",      true,  true },
        {"/version/",     true,  true },
        {"/readyz/etcd",  false, false},
        {"/metrics",      false, false},
        {"/",             false, false},
        {"/api",          false, true },
        {"/api/v1",       false, true },
        {"/apis",         false, true },
        {"/apis/apps/v1", false, true },
        {"/openapi/v3",   false, true },
        {"/openapi/v2",   false, true },
    };
    SCOPED(auth_fixture) fixture;
    struct str unauthenticated = STR("system:unauthenticated");
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].path);
        const struct rbac_attributes attributes = {
            .user = {STR("system:anonymous"), {&unauthenticated, 1}},
            .verb = STR("get"),
            .path = str_from_c(cases[i].path)
        };
        OWNED(error) err = authorize(&fixture.auth, &fixture.arena, &attributes);
        OWNED(error) known = ask_path(&fixture, "jane", "", cases[i].path);
        CHECK_EQ(err == NULL, cases[i].anonymous);
        CHECK_EQ(known == NULL, cases[i].authenticated);
    }
}

static bool may(struct auth_fixture *fixture, const char *user, const char *verb, const char *group,
                const char *resource)
{
    struct str subresource = str_from_c(resource), name;
    str_cut(&subresource, '/', &name);
    const struct rbac_attributes attributes = {.user = auth_fixture_user(fixture, user, ""),
                                               .verb = str_from_c(verb),
                                               .is_resource_request = true,
                                               .api_group = str_from_c(group),
                                               .resource = name,
                                               .subresource = subresource,
                                               .namespace = STR("n")};
    OWNED(error) err = authorize(&fixture->auth, &fixture->arena, &attributes);
    return !err;
}

#define BIND(name)                                                   \
    "{\"metadata\":{\"name\":\"" name                                \
    "\",\"namespace\":\"n\"},\"roleRef\":{\"kind\":\"ClusterRole\"," \
    "\"name\":\"" name "\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"" name "\"}]}"

TEST(bootstrap_roles_of_a_namespace)
{
    static const struct {
        const char *verb, *group, *resource;
        bool view, edit, admin;
    } cases[] = {
        {"get",         "",                          "configmaps",                true,  true,  true },
        {"get",         "",                          "secrets",                   false, true,  true },
        {"get",         "",                          "namespaces",                true,  true,  true },
        {"create",      "",                          "configmaps",                false, true,  true },
        {"create",      "",                          "serviceaccounts/token",     false, true,  true },
        {"impersonate", "",                          "serviceaccounts",           false, true,  true },
        {"update",      "apps",                      "deployments/scale",         false, true,  true },
        {"update",      "apps",                      "deployments/status",        false, false, false},
        {"update",      "coordination.k8s.io",       "leases",                    false, true,  true },
        {"create",      "rbac.authorization.k8s.io", "rolebindings",              false, false, true },
        {"get",         "rbac.authorization.k8s.io", "clusterroles",              false, false, false},
        {"create",      "authorization.k8s.io",      "localsubjectaccessreviews", false, false, true },
        {"create",      "authorization.k8s.io",      "selfsubjectaccessreviews",  true,  true,  true },
        {"create",      "authentication.k8s.io",     "tokenreviews",              false, false, false},
        {"create",      "",                          "namespaces",                false, false, false},
    };
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    auth_fixture_put(&fixture, RBAC_ROLE_BINDING, BIND("view"));
    auth_fixture_put(&fixture, RBAC_ROLE_BINDING, BIND("edit"));
    auth_fixture_put(&fixture, RBAC_ROLE_BINDING, BIND("admin"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s", cases[i].verb, cases[i].resource);
        CHECK_EQ(may(&fixture, "view", cases[i].verb, cases[i].group, cases[i].resource),
                 cases[i].view);
        CHECK_EQ(may(&fixture, "edit", cases[i].verb, cases[i].group, cases[i].resource),
                 cases[i].edit);
        CHECK_EQ(may(&fixture, "admin", cases[i].verb, cases[i].group, cases[i].resource),
                 cases[i].admin);
    }
}

/* All ClusterRoles of the bootstrap, and one more where a test adds it. */
struct walk {
    struct auth_fixture *fixture;
    const char *more;
    size_t index;
};

static const struct json_value *next_role(void *data)
{
    struct walk *walk = data;
    while (walk->index < bootstrap_policy_count()) {
        const struct json_value *object =
            auth_fixture_read(walk->fixture, bootstrap_policy(walk->index++));
        if (str_eq(json_path_str(object, "kind"), STR("ClusterRole")))
            return object;
    }
    return walk->more ? auth_fixture_read(walk->fixture, TAKE(walk->more)) : NULL;
}

TEST(aggregate_fills_the_rules_that_bootstrap_has)
{
    SCOPED(auth_fixture) fixture;
    size_t aggregated = 0;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < bootstrap_policy_count(); i++) {
        const struct json_value *role = auth_fixture_read(&fixture, bootstrap_policy(i));
        struct walk walk = {&fixture, NULL, 0};
        OWNED(json_doc) rules = NULL;
        const struct str name = json_path_str(role, "metadata.name");
        TEST_CASE("%.*s", STR_ARG(name));
        CHECK_OK(aggregate_cluster_role(&fixture.arena, role, next_role, &walk, &rules));
        aggregated += rules != NULL;
        if (rules)
            CHECK(json_equal(json_doc_root(rules), json_get(role, STR("rules"))));
    }
    CHECK_EQ(aggregated, 3);
}

#define WIDGETS(labels)                                       \
    "{\"metadata\":{\"name\":\"widgets\",\"labels\":{" labels \
    "}},\"rules\":[{\"verbs\":[\"get\"],"                     \
    "\"apiGroups\":[\"x\"],\"resources\":[\"widgets\"]}]}"
#define AGGREGATE(selector)                                                                     \
    "{\"metadata\":{\"name\":\"all\"},\"aggregationRule\":{\"clusterRoleSelectors\":[" selector \
    "]}}"

TEST(aggregate_follows_selectors)
{
    /* clang-format off */
    static const struct {
        const char *name, *role, *more;
        size_t count;
        enum error_code code;
    } cases[] = {
        {"a role without selectors has no rules", AGGREGATE(""), NULL, 0, ERROR_NONE},
        {"one that is selected", AGGREGATE("{\"matchLabels\":{\"a\":\"b\"}}"),
         WIDGETS("\"a\":\"b\""), 1, ERROR_NONE},
        {"selected twice, there once",
         AGGREGATE("{\"matchLabels\":{\"a\":\"b\"}},{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}"),
         WIDGETS("\"a\":\"b\""), 1, ERROR_NONE},
        {"not selected", AGGREGATE("{\"matchLabels\":{\"a\":\"c\"}}"), WIDGETS("\"a\":\"b\""), 0,
         ERROR_NONE},
        {"not itself", AGGREGATE("{\"matchLabels\":{\"a\":\"b\"}}"),
         "{\"metadata\":{\"name\":\"all\",\"labels\":{\"a\":\"b\"}},\"rules\":[{}]}", 0,
         ERROR_NONE},
        {"a selector that is none",
         AGGREGATE("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Odd\"}]}"), NULL, 0,
         ERROR_INVALID},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct walk walk = {&fixture, cases[i].more, 0};
        OWNED(json_doc) rules = NULL;
        TEST_CASE("%s", cases[i].name);
        OWNED(error)
        err = aggregate_cluster_role(&fixture.arena, auth_fixture_read(&fixture, cases[i].role),
                                     next_role, &walk, &rules);
        CHECK_EQ((int)(err ? err->code : ERROR_NONE), (int)cases[i].code);
        CHECK_EQ(json_count(json_doc_root(rules)), cases[i].count);
    }
}

TEST(bootstrap_objects_are_marked_as_such)
{
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < bootstrap_policy_count(); i++) {
        const struct json_value *object = auth_fixture_read(&fixture, bootstrap_policy(i));
        const struct json_value *metadata = json_get(object, STR("metadata"));
        const struct str name = json_path_str(metadata, "name");
        TEST_CASE("%.*s", STR_ARG(name));
        CHECK_EQ(json_path_str(object, "apiVersion"), STR("rbac.authorization.k8s.io/v1"));
        CHECK_EQ(json_to_str(json_get(json_get(metadata, STR("labels")),
                                      STR("kubernetes.io/bootstrapping"))),
                 STR("rbac-defaults"));
        CHECK_EQ(json_to_str(json_get(json_get(metadata, STR("annotations")),
                                      STR("rbac.authorization.kubernetes.io/autoupdate"))),
                 STR("true"));
    }
}
