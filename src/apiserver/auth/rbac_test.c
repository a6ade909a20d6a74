#include "apiserver/auth/rbac.h"

#include "apiserver/auth/rbac_internal.h"
#include "base/buf.h"
#include "testing/test.h"

#define NS "c-rbac"

static void put(struct rbac *rbac, enum rbac_kind kind, const char *text)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    rbac_put(rbac, kind, json_doc_root(doc));
}

/* The roles and bindings of the recorded exchanges. */
static struct rbac *make_rbac(void)
{
    struct rbac *rbac = rbac_new();
    put(rbac, RBAC_ROLE,
        "{\"metadata\":{\"name\":\"reader\",\"namespace\":\"" NS
        "\"},\"rules\":[{\"apiGroups\":[\"\"],"
        "\"resources\":[\"configmaps\"],\"verbs\":[\"get\",\"list\",\"watch\"]}]}");
    put(rbac, RBAC_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"reader\",\"namespace\":\"" NS
        "\"},\"roleRef\":{\"kind\":\"Role\","
        "\"name\":\"reader\"},\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"bot\","
        "\"namespace\":\"" NS "\"},{\"kind\":\"User\",\"name\":\"jane\"}]}");
    put(rbac, RBAC_ROLE,
        "{\"metadata\":{\"name\":\"one\",\"namespace\":\"" NS
        "\"},\"rules\":[{\"apiGroups\":[\"\"],"
        "\"resources\":[\"configmaps\"],\"resourceNames\":[\"c1\"],\"verbs\":[\"update\",\"patch\","
        "\"delete\"]},{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"create\"]}]}");
    put(rbac, RBAC_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"one\",\"namespace\":\"" NS "\"},\"roleRef\":{\"kind\":\"Role\","
        "\"name\":\"one\"},\"subjects\":[{\"kind\":\"Group\",\"name\":\"system:serviceaccounts:" NS
        "\"}]}");
    put(rbac, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"ops\"},\"rules\":[{\"apiGroups\":[\"apps\"],\"resources\":"
        "[\"deployments/scale\",\"*/log\"],\"verbs\":[\"*\"]},{\"apiGroups\":[\"*\"],\"resources\":"
        "[\"secrets\"],\"verbs\":[\"list\"]},{\"nonResourceURLs\":[\"/metrics\",\"/x/*\"],\"verbs\":"
        "[\"get\"]}]}");
    put(rbac, RBAC_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"ops\",\"namespace\":\"other\"},\"roleRef\":{\"kind\":\"ClusterRole\","
        "\"name\":\"ops\"},\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"bot\","
        "\"namespace\":\"" NS "\"}]}");
    put(rbac, RBAC_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"lost\",\"namespace\":\"" NS "\"},\"roleRef\":{\"kind\":\"Role\","
        "\"name\":\"gone\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"jim\"}]}");
    put(rbac, RBAC_CLUSTER_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"watchers\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"ops\"},"
        "\"subjects\":[{\"kind\":\"Group\",\"name\":\"watchers\"}]}");
    return rbac;
}

static struct rbac_user user_of(struct arena *arena, const char *name, const char *group)
{
    struct str *groups = arena_alloc_array(arena, 1, sizeof(groups[0]));
    groups[0] = str_from_c(group);
    return (struct rbac_user){
        str_from_c(name), {groups, groups[0].len ? 1 : 0}
    };
}

#define BOT   "system:serviceaccount:" NS ":bot"
#define GROUP "system:serviceaccounts:" NS

TEST(rbac_authorize)
{
    static const struct {
        const char *name, *user, *group, *verb, *api_group, *resource, *object, *namespace;
        const char *reason; /* NULL: refused */
    } cases[] = {
        {"rbac-021: get",                BOT,     "",               "get",    "",     "configmaps",        "c1", NS,
         "RBAC: allowed by RoleBinding \"reader/" NS
         "\" of Role \"reader\" to ServiceAccount \"bot/" NS "\""                                                             },
        {"rbac-024: not create",         BOT,     "",               "create", "",     "configmaps",        "",   NS,      NULL},
        {"rbac-025: another namespace",  BOT,     "",               "get",    "",     "configmaps",        "c1", "other", NULL},
        {"rbac-010: all namespaces",     BOT,     "",               "list",   "",     "configmaps",        "",   "",      NULL},
        {"rbac-067: by a name",          BOT,     GROUP,            "delete", "",     "configmaps",        "c1", NS,
         "RBAC: allowed by RoleBinding \"one/" NS "\" of Role \"one\" to Group \"" GROUP "\""                                 },
        {"rbac-068: by another name",    BOT,     GROUP,            "delete", "",     "configmaps",        "c2", NS,      NULL},
        {"rbac-031: create",             BOT,     GROUP,            "create", "",     "configmaps",        "",   NS,
         "RBAC: allowed by RoleBinding \"one/" NS "\" of Role \"one\" to Group \"" GROUP "\""                                 },
        {"rbac-035: any group",          BOT,     "",               "list",   "",     "secrets",           "",   "other",
         "RBAC: allowed by RoleBinding \"ops/other\" of ClusterRole \"ops\" to ServiceAccount \"bot/" NS
         "\""                                                                                                                 },
        {"rbac-037: a subresource",      BOT,     "",               "get",    "apps", "deployments/scale", "x",  "other",
         "RBAC: allowed by RoleBinding \"ops/other\" of ClusterRole \"ops\" to ServiceAccount \"bot/" NS
         "\""                                                                                                                 },
        {"rbac-038: the main resource",  BOT,     "",               "get",    "apps", "deployments",       "x",  "other", NULL},
        {"a subresource of anything",    "a",     "watchers",       "get",    "apps", "any/log",           "x",  "q",
         "RBAC: allowed by ClusterRoleBinding \"watchers\" of ClusterRole \"ops\" to Group \"watchers\""                      },
        {"rbac-062: jane",               "jane",  "",               "get",    "",     "configmaps",        "",   NS,
         "RBAC: allowed by RoleBinding \"reader/" NS "\" of Role \"reader\" to User \"jane\""                                 },
        {"a name of a group is no user", GROUP,   "",               "create", "",     "configmaps",        "",   NS,      NULL},
        {"rbac-061: system:masters",     "admin", "system:masters", "get",    "",     "configmaps",        "",   NS,
         ""                                                                                                                   },
    };
    OWNED(rbac) rbac = make_rbac();
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        struct str subresource = str_from_c(cases[i].resource), resource;
        TEST_CASE("%s", cases[i].name);
        str_cut(&subresource, '/', &resource);
        const struct rbac_attributes attributes = {
            .user = user_of(&arena, cases[i].user, cases[i].group),
            .verb = str_from_c(cases[i].verb),
            .is_resource_request = true,
            .api_group = str_from_c(cases[i].api_group),
            .resource = resource,
            .subresource = subresource,
            .name = str_from_c(cases[i].object),
            .namespace = str_from_c(cases[i].namespace),
        };
        const struct rbac_decision decision = rbac_authorize(rbac, &arena, &attributes);
        CHECK_EQ(decision.allowed, cases[i].reason != NULL);
        CHECK_EQ(decision.reason, str_from_c(cases[i].reason ? cases[i].reason : ""));
    }
}

TEST(rbac_authorize_paths)
{
    static const struct {
        const char *name, *group, *path;
        bool allowed;
    } cases[] = {
        {"rbac-039: a RoleBinding grants no path", GROUP,      "/metrics", false},
        {"rbac-040: bound for the cluster",        "watchers", "/metrics", true },
        {"rbac-042: with a wildcard",              "watchers", "/x/y",     true },
        {"another path",                           "watchers", "/y",       false},
    };
    OWNED(rbac) rbac = make_rbac();
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        const struct rbac_attributes attributes = {.user = user_of(&arena, BOT, cases[i].group),
                                                   .verb = STR("get"),
                                                   .path = str_from_c(cases[i].path)};
        CHECK_EQ(rbac_authorize(rbac, &arena, &attributes).allowed, cases[i].allowed);
    }
}

TEST(rbac_forbidden)
{
    const struct {
        const char *name;
        struct rbac_attributes attributes;
        const char *reason, *message;
    } cases[] = {
        {"kube-api: delete",
         {.user = {.name = STR("nobody")},
          .verb = STR("delete"),
          .is_resource_request = true,
          .resource = STR("configmaps"),
          .name = STR("x"),
          .namespace = STR("default")},
         "",                                                        "configmaps \"x\" is forbidden: User \"nobody\" cannot delete resource \"configmaps\" in API "
         "group \"\" in the namespace \"default\""                                                                                        },
        {"errors-006: another group",
         {.user = {.name = STR("system:anonymous")},
          .verb = STR("create"),
          .is_resource_request = true,
          .api_group = STR("apps"),
          .resource = STR("deployments"),
          .namespace = STR("n")},
         "",                                                        "deployments.apps is forbidden: User \"system:anonymous\" cannot create resource "
         "\"deployments\" in API group \"apps\" in the namespace \"n\""                                                                   },
        {"errors-007: cluster scope",
         {.user = {.name = STR("system:anonymous")},
          .verb = STR("list"),
          .is_resource_request = true,
          .resource = STR("nodes")},
         "",                                                        "nodes is forbidden: User \"system:anonymous\" cannot list resource \"nodes\" in API group \"\" "
         "at the cluster scope"                                                                                                           },
        {"errors-004: a path",
         {.user = {.name = STR("system:anonymous")}, .verb = STR("get"), .path = STR("/api")},
         "",                                                        "forbidden: User \"system:anonymous\" cannot get path \"/api\""                   },
        {"a subresource, and a reason",
         {.user = {.name = STR("u")},
          .verb = STR("get"),
          .is_resource_request = true,
          .resource = STR("pods"),
          .subresource = STR("log"),
          .name = STR("p"),
          .namespace = STR("n")},
         "RBAC: role.rbac.authorization.k8s.io \"gone\" not found", "pods \"p\" is forbidden: User \"u\" cannot get resource \"pods/log\" in API group \"\" in the "
         "namespace \"n\": RBAC: role.rbac.authorization.k8s.io \"gone\" not found"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(error) err = rbac_forbidden(&cases[i].attributes, str_from_c(cases[i].reason));
        CHECK_EQ(err->message, cases[i].message);
        CHECK_EQ((int)err->code, (int)ERROR_FORBIDDEN);
    }
}

static bool may_get(struct rbac *rbac, const char *user, const char *resource)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_attributes attributes = {.user = user_of(&arena, user, ""),
                                               .verb = STR("get"),
                                               .is_resource_request = true,
                                               .resource = str_from_c(resource),
                                               .namespace = STR(NS)};
    return rbac_authorize(rbac, &arena, &attributes).allowed;
}

TEST(rbac_follows_every_change)
{
    OWNED(rbac) rbac = make_rbac();
    CHECK(may_get(rbac, "jane", "configmaps"));
    put(rbac, RBAC_ROLE,
        "{\"metadata\":{\"name\":\"reader\",\"namespace\":\"" NS
        "\"},\"rules\":[{\"apiGroups\":[\"\"],"
        "\"resources\":[\"secrets\"],\"verbs\":[\"*\"]}]}");
    CHECK(!may_get(rbac, "jane", "configmaps"));
    CHECK(may_get(rbac, "jane", "secrets"));
    put(rbac, RBAC_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"reader\",\"namespace\":\"" NS
        "\"},\"roleRef\":{\"kind\":\"Role\","
        "\"name\":\"reader\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"jim\"}]}");
    CHECK(!may_get(rbac, "jane", "secrets"));
    CHECK(may_get(rbac, "jim", "secrets"));
    rbac_remove(rbac, RBAC_ROLE, STR(NS), STR("reader"));
    CHECK(!may_get(rbac, "jim", "secrets"));
    rbac_remove(rbac, RBAC_ROLE_BINDING, STR(NS), STR("reader"));
    rbac_remove(rbac, RBAC_ROLE_BINDING, STR(NS), STR("reader")); /* once more does nothing */
}

TEST(rbac_aggregates_roles)
{
    OWNED(rbac) rbac = make_rbac();
    put(rbac, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"admin\"},\"aggregationRule\":{\"clusterRoleSelectors\":"
        "[{\"matchLabels\":{\"to-admin\":\"true\"}}]}}");
    put(rbac, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"edit\",\"labels\":{\"to-admin\":\"true\"}},\"aggregationRule\":"
        "{\"clusterRoleSelectors\":[{\"matchLabels\":{\"to-edit\":\"true\"}}]}}");
    put(rbac, RBAC_CLUSTER_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"ann\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"admin\"},"
        "\"subjects\":[{\"kind\":\"User\",\"name\":\"ann\"}]}");
    CHECK(!may_get(rbac, "ann", "pods"));
    put(rbac, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"pods\",\"labels\":{\"to-edit\":\"true\"}},\"rules\":[{\"apiGroups\":"
        "[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"get\"]}]}");
    CHECK(may_get(rbac, "ann", "pods"));
    rbac_remove(rbac, RBAC_CLUSTER_ROLE, STR(""), STR("edit"));
    CHECK(!may_get(rbac, "ann", "pods"));
}

TEST(rbac_roles_of_a_namespace_do_not_aggregate)
{
    OWNED(rbac) rbac = make_rbac();
    put(rbac, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"pods\",\"labels\":{\"a\":\"b\"}},\"rules\":[{\"apiGroups\":[\"\"],"
        "\"resources\":[\"pods\"],\"verbs\":[\"get\"]}]}");
    put(rbac, RBAC_ROLE,
        "{\"metadata\":{\"name\":\"reader\",\"namespace\":\"" NS
        "\"},\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":{\"a\":\"b\"}}]},"
        "\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"secrets\"],\"verbs\":[\"get\"]}]}");
    CHECK(may_get(rbac, "jane", "secrets"));
    CHECK(!may_get(rbac, "jane", "pods"));
}

#define SHARED_ROLE(name, labels, rest) \
    "{\"metadata\":{\"name\":\"" name "\",\"labels\":{" labels "}}," rest "}"
#define CLUSTER_BINDING(name, role, user)                                                          \
    "{\"metadata\":{\"name\":\"" name "\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"" role \
    "\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"" user "\"}]}"
#define GET(resource) \
    "\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"" resource "\"],\"verbs\":[\"get\"]}]"

/* Ann may what aggregates into view, which is pods; nodes are for bob. */
static struct rbac *make_base(void)
{
    struct rbac *base = rbac_new();
    put(base, RBAC_CLUSTER_ROLE,
        SHARED_ROLE("view", "",
                    "\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":"
                    "{\"to-view\":\"true\"}}]}"));
    put(base, RBAC_CLUSTER_ROLE, SHARED_ROLE("pods", "\"to-view\":\"true\"", GET("pods")));
    put(base, RBAC_CLUSTER_ROLE, SHARED_ROLE("nodes", "", GET("nodes")));
    put(base, RBAC_CLUSTER_ROLE_BINDING, CLUSTER_BINDING("view", "view", "ann"));
    put(base, RBAC_CLUSTER_ROLE_BINDING, CLUSTER_BINDING("nodes", "nodes", "bob"));
    return base;
}

TEST(rbac_base_is_shared)
{
    OWNED(rbac) base = make_base();
    OWNED(rbac) first = rbac_new();
    OWNED(rbac) second = rbac_new();
    rbac_set_base(first, base);
    rbac_set_base(second, base);

    TEST_CASE("what the base allows, all allow");
    CHECK(may_get(first, "ann", "pods"));
    CHECK(may_get(second, "bob", "nodes"));
    CHECK(!may_get(first, "ann", "nodes"));
    CHECK(rbac_has_role(first, RBAC_CLUSTER_ROLE, STR(""), STR("nodes")));
    CHECK(!rbac_has_role(first, RBAC_CLUSTER_ROLE, STR(""), STR("none")));

    TEST_CASE("a binding of one to a role of the base");
    put(first, RBAC_CLUSTER_ROLE_BINDING, CLUSTER_BINDING("more", "nodes", "ann"));
    CHECK(may_get(first, "ann", "nodes"));
    CHECK(!may_get(second, "ann", "nodes"));

    TEST_CASE("a role of one is aggregated into a role of the base");
    put(first, RBAC_CLUSTER_ROLE, SHARED_ROLE("jobs", "\"to-view\":\"true\"", GET("jobs")));
    CHECK(may_get(first, "ann", "jobs"));
    CHECK(may_get(first, "ann", "pods"));
    CHECK(!may_get(second, "ann", "jobs"));
    rbac_remove(first, RBAC_CLUSTER_ROLE, STR(""), STR("jobs"));
    CHECK(!may_get(first, "ann", "jobs"));
    CHECK(may_get(first, "ann", "pods"));
}

TEST(rbac_roles_of_the_base_are_replaced_for_one_alone)
{
    OWNED(rbac) base = make_base();
    OWNED(rbac) first = rbac_new();
    OWNED(rbac) second = rbac_new();
    rbac_set_base(first, base);
    rbac_set_base(second, base);

    TEST_CASE("a role is replaced");
    put(first, RBAC_CLUSTER_ROLE, SHARED_ROLE("pods", "\"to-view\":\"true\"", GET("secrets")));
    CHECK(may_get(first, "ann", "secrets"));
    CHECK(!may_get(first, "ann", "pods"));
    CHECK(may_get(second, "ann", "pods"));

    TEST_CASE("a role is removed, and put again");
    rbac_remove(first, RBAC_CLUSTER_ROLE, STR(""), STR("pods"));
    CHECK(!may_get(first, "ann", "secrets"));
    CHECK(!may_get(first, "ann", "pods"));
    CHECK(!rbac_has_role(first, RBAC_CLUSTER_ROLE, STR(""), STR("pods")));
    CHECK(rbac_has_role(second, RBAC_CLUSTER_ROLE, STR(""), STR("pods")));
    put(first, RBAC_CLUSTER_ROLE, SHARED_ROLE("pods", "\"to-view\":\"true\"", GET("pods")));
    CHECK(may_get(first, "ann", "pods"));
}

TEST(rbac_bindings_of_the_base_are_replaced_for_one_alone)
{
    OWNED(rbac) base = make_base();
    OWNED(rbac) first = rbac_new();
    OWNED(rbac) second = rbac_new();
    rbac_set_base(first, base);
    rbac_set_base(second, base);
    TEST_CASE("replaced");
    put(first, RBAC_CLUSTER_ROLE_BINDING, CLUSTER_BINDING("nodes", "nodes", "jim"));
    CHECK(may_get(first, "jim", "nodes"));
    CHECK(!may_get(first, "bob", "nodes"));
    CHECK(may_get(second, "bob", "nodes"));
    TEST_CASE("removed");
    rbac_remove(first, RBAC_CLUSTER_ROLE_BINDING, STR(""), STR("nodes"));
    CHECK(!may_get(first, "jim", "nodes"));
    CHECK(!may_get(first, "bob", "nodes"));
    CHECK(may_get(second, "bob", "nodes"));
}

TEST(rbac_says_when_a_role_is_missing)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_attributes attributes = {.user = user_of(&arena, "jim", ""),
                                               .verb = STR("get"),
                                               .is_resource_request = true,
                                               .resource = STR("pods"),
                                               .namespace = STR(NS)};
    CHECK_EQ(rbac_authorize(rbac, &arena, &attributes).reason,
             STR("RBAC: role.rbac.authorization.k8s.io \"gone\" not found"));
}

/* A role that several bindings miss is named once. */
TEST(rbac_says_once_which_roles_are_missing)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_attributes attributes = {
        .user = user_of(&arena, "jim", "jims"), .verb = STR("get"), .namespace = STR(NS)};
    put(rbac, RBAC_CLUSTER_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"a\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"gone\"},"
        "\"subjects\":[{\"kind\":\"Group\",\"name\":\"jims\"},{\"kind\":\"User\",\"name\":\"jim\"}]}");
    CHECK_EQ(rbac_authorize(rbac, &arena, &attributes).reason,
             STR("RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found"));
    struct rbac_attributes resource = attributes;
    resource.is_resource_request = true;
    CHECK_EQ(rbac_authorize(rbac, &arena, &resource).reason,
             STR("RBAC: [clusterrole.rbac.authorization.k8s.io \"gone\" not found, "
                 "role.rbac.authorization.k8s.io \"gone\" not found]"));
}

static struct rbac_decision ask_for(struct rbac *rbac, struct arena *arena, struct rbac_user user,
                                    struct str resource)
{
    const struct rbac_attributes attributes = {.user = user,
                                               .verb = STR("get"),
                                               .is_resource_request = true,
                                               .api_group = STR("apps"),
                                               .resource = resource,
                                               .namespace = STR(NS)};
    return rbac_authorize(rbac, arena, &attributes);
}

TEST(rbac_names_the_first_subject_that_applies)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    put(rbac, RBAC_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"b\",\"namespace\":\"" NS
        "\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"ops\"},\"subjects\":["
        "{\"kind\":\"User\",\"name\":\"g\"},{\"kind\":\"Group\",\"name\":\"g\"},"
        "{\"kind\":\"User\",\"name\":\"ann\"}]}");
    CHECK_EQ(ask_for(rbac, &arena, user_of(&arena, "ann", "g"), STR("secrets")).allowed, false);
    put(rbac, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"ops\"},\"rules\":[{\"apiGroups\":[\"*\"],\"resources\":"
        "[\"secrets\",\"pods/log\"],\"verbs\":[\"get\"]}]}");
    CHECK_EQ(
        ask_for(rbac, &arena, user_of(&arena, "ann", "g"), STR("secrets")).reason,
        STR("RBAC: allowed by RoleBinding \"b/" NS "\" of ClusterRole \"ops\" to Group \"g\""));
    struct str names[40] = {[7] = STR_INIT("g")};
    const struct rbac_user in_many = {
        STR("ann"), {names, COUNT(names)}
    };
    CHECK_EQ(
        ask_for(rbac, &arena, in_many, STR("secrets")).reason,
        STR("RBAC: allowed by RoleBinding \"b/" NS "\" of ClusterRole \"ops\" to Group \"g\""));
    CHECK(ask_for(rbac, &arena, user_of(&arena, "ann", ""), STR("pods/log")).allowed);
    CHECK(!ask_for(rbac, &arena, user_of(&arena, "ann", ""), STR("pods")).allowed);
}

TEST(rbac_accounts_without_a_namespace_are_those_of_the_binding)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    put(rbac, RBAC_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"b\",\"namespace\":\"" NS
        "\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"watch\"},\"subjects\":["
        "{\"kind\":\"ServiceAccount\",\"name\":\"cat\"}]}");
    put(rbac, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"watch\"},\"rules\":[{\"apiGroups\":[\"apps\"],\"resources\":"
        "[\"*\"],\"verbs\":[\"get\"]}]}");
    const struct str cat = STR("system:serviceaccount:" NS ":cat");
    CHECK_EQ(ask_for(rbac, &arena, user_of(&arena, cat.ptr, ""), STR("x")).reason,
             STR("RBAC: allowed by RoleBinding \"b/" NS
                 "\" of ClusterRole \"watch\" to ServiceAccount \"cat/" NS "\""));
    CHECK(!ask_for(rbac, &arena, user_of(&arena, "system:serviceaccount:other:cat", ""), STR("x"))
               .allowed);
}

TEST(rbac_user_rules)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_user jane = user_of(&arena, "jane", "watchers");
    const struct rbac_user admin = user_of(&arena, "admin", "system:masters");
    TEST_CASE("rbac-073: jane");
    CHECK_EQ(rbac_user_rules(rbac, &arena, &jane, STR(NS)).count, 4);
    CHECK_EQ(rbac_user_rules(rbac, &arena, &jane, STR("")).count, 3);
    TEST_CASE("rbac-072: admin");
    const struct rbac_rules rules = rbac_user_rules(rbac, &arena, &admin, STR(NS));
    CHECK_EQ(rules.count, 2);
    CHECK_EQ(rules.items[0].resources.items[0], STR("*"));
    CHECK_EQ(rules.items[1].urls.items[0], STR("*"));
}

TEST(rbac_check_escalation)
{
    /* Text of a role, what is missing ("" for nothing). */
    static const struct {
        const char *rules, *missing;
    } cases[] = {
        {"[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"get\",\"list\"]}]",
         ""                                                                         },
        {"[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"resourceNames\":[\"a\"],\"verbs\":[\"get\"]}]",
         ""                                                                         },
        {"[{\"apiGroups\":[\"\"],\"resources\":[\"secrets\",\"configmaps\"],\"verbs\":[\"get\",\"delete\"]}]",
         "\n{APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"delete\"]}"
         "\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"delete\"]}"},
        {"[{\"nonResourceURLs\":[\"/metrics\"],\"verbs\":[\"get\"]}]",
         "\n{NonResourceURLs:[\"/metrics\"], Verbs:[\"get\"]}"                      },
        {"[{\"apiGroups\":[\"*\"],\"resources\":[\"*\"],\"verbs\":[\"*\"]}]",
         "\n{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}"                  },
    };
    OWNED(rbac) rbac = make_rbac();
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) text = {.limit = 0};
        SCOPED(buf) expected = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        const struct rbac_user jane = user_of(&arena, "jane", "dev");
        const struct rbac_user admin = user_of(&arena, "admin", "system:masters");
        TEST_CASE("%s", cases[i].rules);
        buf_print(&text, "{\"rules\":%s}", cases[i].rules);
        CHECK_OK(json_read(buf_str(&text), &doc));
        const struct rbac_rules granted = rbac_read_rules(&arena, json_doc_root(doc));
        CHECK_OK(rbac_check_escalation(rbac, &admin, STR(NS), &granted));
        OWNED(error) err = rbac_check_escalation(rbac, &jane, STR(NS), &granted);
        CHECK_EQ(err != NULL, cases[i].missing[0] != '\0');
        buf_print(&expected,
                  "user \"jane\" (groups=[\"dev\"]) is attempting to grant RBAC permissions not "
                  "currently held:%s",
                  cases[i].missing);
        if (err)
            CHECK_EQ(str_from_c(err->message), buf_str(&expected));
    }
}

TEST(rbac_check_escalation_is_bounded)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_user jane = user_of(&arena, "jane", "");
    struct str *many = arena_alloc_array(&arena, 50000, sizeof(many[0]));
    for (size_t i = 0; i < 50000; i++)
        many[i] = STR("x");
    const struct rbac_strings all = {many, 50000};
    struct rbac_rule rule = {
        .verbs = all, .api_groups = all, .resources = all, .resource_names = all};
    const struct rbac_rules granted = {.items = &rule, .count = 1};
    CHECK_FAILS(
        rbac_check_escalation(rbac, &jane, STR(NS), &granted), ERROR_FORBIDDEN,
        "user \"jane\" (groups=[]) is attempting to grant more RBAC permissions at once than "
        "can be checked");
    rule = (struct rbac_rule){.verbs = all, .urls = all};
    CHECK_FAILS(rbac_check_escalation(rbac, &jane, STR(NS), &granted), ERROR_FORBIDDEN,
                "than can be checked");
}

/* "[<text>0","<text>1",...]": so many strings. */
static void add_strings(struct buf *text, const char *key, const char *one, size_t count)
{
    buf_print(text, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++)
        buf_print(text, i ? ",\"%s%zu\"" : "\"%s%zu\"", one, i);
    buf_add_char(text, ']');
}

/* A role of the namespace whose one rule has so many resources. */
static void put_large_role(struct rbac *rbac, size_t number, size_t resources)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"metadata\":{\"name\":\"large-%zu\",\"namespace\":\"" NS
              "\"},\"rules\":[{\"apiGroups\":[\"\"],\"verbs\":[\"get\",\"list\",\"a\",\"b\"],",
              number);
    add_strings(&text, "resources", "r", resources);
    buf_add(&text, STR("}]}"));
    put(rbac, RBAC_ROLE, buf_c(&text));
}

/* Binds a large role to a user who is named so many times. */
static void bind_large_role(struct rbac *rbac, const char *name, size_t number, size_t mentions)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"" NS
              "\"},\"roleRef\":{\"kind\":\"Role\",\"name\":\"large-%zu\"},\"subjects\":[",
              name, number);
    for (size_t i = 0; i < mentions; i++)
        buf_print(&text, "%s{\"kind\":\"User\",\"name\":\"lea\"}", i ? "," : "");
    buf_add(&text, STR("]}"));
    put(rbac, RBAC_ROLE_BINDING, buf_c(&text));
}

static struct rbac_decision ask_for_lea(struct rbac *rbac, struct arena *arena,
                                        const char *resource)
{
    const struct rbac_attributes attributes = {.user = user_of(arena, "lea", ""),
                                               .verb = STR("get"),
                                               .is_resource_request = true,
                                               .resource = str_from_c(resource),
                                               .namespace = STR(NS)};
    return rbac_authorize(rbac, arena, &attributes);
}

TEST(rbac_counts_a_subject_once)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_user lea = user_of(&arena, "lea", "");
    struct grant_walk walk = {0};
    put_large_role(rbac, 0, 1000);
    bind_large_role(rbac, "b", 0, 2000);
    const struct binding *binding = rbac_next_binding(rbac, &lea, STR(NS), &walk);
    CHECK_EQ(binding->count, 1);
    CHECK(!rbac_next_binding(rbac, &lea, STR(NS), &walk));
    CHECK_EQ(rbac_user_rules(rbac, &arena, &lea, STR(NS)).count, 1);
    CHECK(arena.used < MEGABYTE);
    bind_large_role(rbac, "b", 1, 2000);
    CHECK(!ask_for_lea(rbac, &arena, "r7").allowed);
}

/* A binding that names a user and a group of it is one binding. */
TEST(rbac_visits_a_binding_once)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_user jane = user_of(&arena, "jim", "jims");
    put(rbac, RBAC_CLUSTER_ROLE_BINDING,
        "{\"metadata\":{\"name\":\"a\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"ops\"},"
        "\"subjects\":[{\"kind\":\"Group\",\"name\":\"jims\"},{\"kind\":\"User\",\"name\":\"jim\"}]}");
    CHECK_EQ(rbac_user_rules(rbac, &arena, &jane, STR(NS)).count, 3);
    CHECK_EQ(rbac_user_rules(rbac, &arena, &jane, STR("")).count, 3);
}

/* Bindings of a namespace take no steps of a decision about another one. */
TEST(rbac_bindings_of_other_namespaces_cost_nothing)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_user lea = user_of(&arena, "lea", "");
    struct grant_walk few = {0}, many = {0};
    CHECK(!rbac_next_binding(rbac, &lea, STR("other"), &few));
    for (size_t i = 0; i < 50; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "b%zu", i);
        bind_large_role(rbac, buf_c(&name), 0, 1);
    }
    CHECK(!rbac_next_binding(rbac, &lea, STR("other"), &many));
    CHECK_EQ(many.steps, few.steps);
}

TEST(rbac_decisions_are_bounded)
{
    const size_t resources = RBAC_STEPS_MAX / 8;
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < 10; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "b%zu", i);
        put_large_role(rbac, i, resources);
        bind_large_role(rbac, buf_c(&name), 0, 1);
    }
    TEST_CASE("a role that is bound many times is looked at once");
    CHECK_EQ(ask_for_lea(rbac, &arena, "no").reason, STR(""));
    CHECK(ask_for_lea(rbac, &arena, "r7").allowed);

    TEST_CASE("many large roles");
    for (size_t i = 0; i < 10; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "b%zu", i);
        bind_large_role(rbac, buf_c(&name), i, 1);
    }
    CHECK_EQ(ask_for_lea(rbac, &arena, "no").reason,
             STR("RBAC: too much is bound to the user to be looked through; bind fewer or smaller "
                 "roles"));
    CHECK(ask_for_lea(rbac, &arena, "r7").allowed);
    CHECK(may_get(rbac, "jane", "configmaps"));

    TEST_CASE("very many groups");
    struct str *groups = arena_alloc_array(&arena, 100000, sizeof(groups[0]));
    for (size_t i = 0; i < 100000; i++)
        groups[i] = STR("x");
    const struct rbac_user in_many = {
        STR("jim"), {groups, 100000}
    };
    struct grant_walk walk = {0};
    while (rbac_next_binding(rbac, &in_many, STR(NS), &walk)) {
    }
    CHECK(rbac_is_spent(&walk));
    CHECK(walk.steps < RBAC_STEPS_MAX + 100);
}

TEST(rbac_rules_that_are_copied_have_a_limit)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    const struct rbac_user lea = user_of(&arena, "lea", "");
    for (size_t i = 0; i < 20; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "b%zu", i);
        put_large_role(rbac, i, 20000);
        bind_large_role(rbac, buf_c(&name), i, 1);
        CHECK_EQ(rbac_user_rules(rbac, &arena, &lea, STR(NS)).is_incomplete, i > 4);
        arena_clear(&arena);
    }
    const struct rbac_user again = user_of(&arena, "lea", "");
    CHECK(rbac_user_rules(rbac, &arena, &again, STR(NS)).count > 0);
    CHECK(arena.used < 2 * RBAC_RULES_MAX);

    TEST_CASE("a role that is too large is not granted in part");
    put_large_role(rbac, 0, RBAC_RULES_MAX / 32);
    const struct rbac_rules granted =
        rbac_role_rules(rbac, &arena, RBAC_ROLE, STR(NS), STR("large-0"));
    CHECK(granted.is_incomplete);
    CHECK_FAILS(rbac_check_escalation(rbac, &again, STR(NS), &granted), ERROR_FORBIDDEN,
                "more RBAC permissions at once than can be checked");
}

TEST(rbac_check_escalation_counts_comparisons)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    const struct rbac_user lea = user_of(&arena, "lea", "");
    put_large_role(rbac, 0, 20000);
    bind_large_role(rbac, "b", 0, 1);

    TEST_CASE("80,000 permissions that one rule holds");
    const struct rbac_rules held =
        rbac_role_rules(rbac, &arena, RBAC_ROLE, STR(NS), STR("large-0"));
    CHECK_EQ(held.items[0].resources.count, 20000);
    CHECK_OK(rbac_check_escalation(rbac, &lea, STR(NS), &held));

    TEST_CASE("as many in rules of their own");
    buf_add(&text,
            STR("{\"metadata\":{\"name\":\"large-1\",\"namespace\":\"" NS "\"},\"rules\":["));
    for (size_t i = 0; i < 10000; i++)
        buf_print(&text, "%s{\"apiGroups\":[\"\"],\"resources\":[\"r%zu\"],\"verbs\":[\"delete\"]}",
                  i ? "," : "", i);
    buf_add(&text, STR("]}"));
    put(rbac, RBAC_ROLE, buf_c(&text));
    bind_large_role(rbac, "c", 1, 1);
    const struct rbac_rules many =
        rbac_role_rules(rbac, &arena, RBAC_ROLE, STR(NS), STR("large-1"));
    CHECK_EQ(many.count, 10000);
    CHECK_FAILS(rbac_check_escalation(rbac, &lea, STR(NS), &many), ERROR_FORBIDDEN,
                "more RBAC permissions at once than can be checked");
    const struct rbac_rules few = {.items = many.items, .count = 100};
    CHECK_OK(rbac_check_escalation(rbac, &lea, STR(NS), &few));
}

TEST(rbac_check_escalation_knows_subresources_and_names)
{
    static const struct {
        const char *rule;
        bool is_held;
    } cases[] = {
        {"\"resources\":[\"pods/log\"],\"verbs\":[\"get\"]",                             true },
        {"\"resources\":[\"pods/exec\"],\"verbs\":[\"get\"]",                            false},
        {"\"resources\":[\"*/log\"],\"verbs\":[\"get\"]",                                true },
        {"\"resources\":[\"r39\",\"r0\"],\"resourceNames\":[\"a\"],\"verbs\":[\"get\"]", true },
        {"\"resources\":[\"r39\"],\"verbs\":[\"get\"]",                                  false},
        {"\"resources\":[\"r40\"],\"resourceNames\":[\"a\"],\"verbs\":[\"get\"]",        false},
        {"\"resources\":[\"r39\"],\"resourceNames\":[\"a\",\"b\"],\"verbs\":[\"get\"]",  false},
    };
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    const struct rbac_user lea = user_of(&arena, "lea", "");
    buf_add(&text, STR("{\"metadata\":{\"name\":\"large-0\",\"namespace\":\"" NS "\"},\"rules\":["
                       "{\"apiGroups\":[\"*\"],\"resources\":[\"*/log\"],\"verbs\":[\"*\"]},"
                       "{\"apiGroups\":[\"\"],\"verbs\":[\"get\"],\"resourceNames\":[\"a\"],"));
    add_strings(&text, "resources", "r", 40);
    buf_add(&text, STR("}]}"));
    put(rbac, RBAC_ROLE, buf_c(&text));
    bind_large_role(rbac, "b", 0, 1);
    for (size_t i = 0; i < 8 * COUNT(cases); i++) {
        const size_t place = i % COUNT(cases);
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%s", cases[place].rule);
        buf_clear(&text);
        buf_print(&text, "{\"rules\":[");
        for (size_t times = 0; times <= i / COUNT(cases); times++)
            buf_print(&text, "%s{\"apiGroups\":[\"\"],%s}", times ? "," : "", cases[place].rule);
        buf_print(&text, "]}");
        CHECK_OK(json_read(buf_str(&text), &doc));
        const struct rbac_rules granted = rbac_read_rules(&arena, json_doc_root(doc));
        OWNED(error) err = rbac_check_escalation(rbac, &lea, STR(NS), &granted);
        CHECK_EQ(err == NULL, cases[place].is_held);
    }
}

/* Labels and requirements in such numbers that comparing them takes too long. */
TEST(rbac_aggregation_is_bounded)
{
    OWNED(rbac) rbac = make_rbac();
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    struct rbac_strings names;
    put(rbac, RBAC_CLUSTER_ROLE,
        SHARED_ROLE("all", "",
                    "\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":"
                    "{\"a\":\"b\"}}]}"));
    put(rbac, RBAC_CLUSTER_ROLE, SHARED_ROLE("none", "", "\"aggregationRule\":{}"));
    put(rbac, RBAC_CLUSTER_ROLE, SHARED_ROLE("pods", "\"a\":\"b\"", GET("pods")));
    CHECK_EQ(rbac_aggregating_roles(rbac, &arena).count, 2);
    CHECK_OK(rbac_selected_roles(rbac, &arena, STR("all"), &names));
    CHECK_EQ(names.count, 1);
    CHECK_EQ(names.items[0], STR("pods"));
    CHECK(rbac_is_in_aggregation(rbac, STR("pods")));
    CHECK(!rbac_is_in_aggregation(rbac, STR("ops")));

    TEST_CASE("1,000 requirements and more labels than are compared with them");
    buf_add(&text, STR("{\"metadata\":{\"name\":\"all\"},\"aggregationRule\":"
                       "{\"clusterRoleSelectors\":[{\"matchLabels\":{\"a\":\"c\""));
    for (size_t i = 1; i < 1000; i++)
        buf_print(&text, ",\"x%zu\":\"\"", i);
    buf_add(&text, STR("}},{\"matchLabels\":{\"a\":\"b\"}}]}}"));
    put(rbac, RBAC_CLUSTER_ROLE, buf_c(&text));
    buf_clear(&text);
    buf_add(&text, STR("{\"metadata\":{\"name\":\"big\",\"labels\":{\"a\":\"c\""));
    for (size_t i = 0; i < RBAC_SELECT_STEPS_MAX / 1000; i++)
        buf_print(&text, ",\"x%zu\":\"\"", i);
    buf_add(&text, STR("}}," GET("secrets") "}"));
    put(rbac, RBAC_CLUSTER_ROLE, buf_c(&text));
    put(rbac, RBAC_CLUSTER_ROLE_BINDING, CLUSTER_BINDING("ann", "all", "ann"));
    CHECK(may_get(rbac, "ann", "pods"));
    CHECK(!may_get(rbac, "ann", "secrets"));
    CHECK(rbac_is_in_aggregation(rbac, STR("big")));
    CHECK_ERROR(rbac_selected_roles(rbac, &arena, STR("all"), &names), ERROR_TOO_LARGE);
}
