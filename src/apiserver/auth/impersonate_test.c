#include "apiserver/auth/auth_fixture_test.h"

struct wish {
    const char *name, *uid, *group, *extra_key, *extra;
};

static struct error *impersonate_as(struct auth_fixture *fixture, const char *real,
                                    const char *real_group, const struct wish *wish,
                                    struct user_info *ret_user)
{
    SCOPED(http_headers) headers = {.limit = 0};
    const struct user_info user = {.user = auth_fixture_user(fixture, real, real_group)};
    const struct rbac_attributes attributes = {.user = user.user,
                                               .verb = STR("list"),
                                               .is_resource_request = true,
                                               .resource = STR("pods"),
                                               .namespace = STR("n")};
    const struct str pairs[][2] = {
        {STR("Impersonate-User"),                                    str_from_c(wish->name) },
        {STR("Impersonate-Uid"),                                     str_from_c(wish->uid)  },
        {STR("Impersonate-Group"),                                   str_from_c(wish->group)},
        {str_from_c(wish->extra_key ? wish->extra_key : "no-extra"), str_from_c(wish->extra)},
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (pairs[i][1].ptr)
            CHECK_OK(http_headers_add(&headers, pairs[i][0], pairs[i][1]));
    return impersonate(&fixture->auth, &fixture->arena, &attributes, &user, &headers, ret_user);
}

static void bind(struct auth_fixture *fixture, const char *user, const char *rules)
{
    const struct str role = arena_print(
        &fixture->arena, "{\"metadata\":{\"name\":\"%s\"},\"rules\":[%s]}", user, rules);
    const struct str binding = arena_print(
        &fixture->arena,
        "{\"metadata\":{\"name\":\"%s\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"%s\"},"
        "\"subjects\":[{\"kind\":\"User\",\"name\":\"%s\"}]}",
        user, user, user);
    auth_fixture_put(fixture, RBAC_CLUSTER_ROLE, role.ptr);
    auth_fixture_put(fixture, RBAC_CLUSTER_ROLE_BINDING, binding.ptr);
}

#define RULE(verb, group, resource, names)                                               \
    "{\"verbs\":[\"" verb "\"],\"apiGroups\":[\"" group "\"],\"resources\":[\"" resource \
    "\"],\"resourceNames\":[" names "]}"

/* Those who may: in the old way, in a narrow way, half of a narrow way, and other kinds of users.
 */
static void bind_all(struct auth_fixture *fixture)
{
    /* clang-format off */
    bind(fixture, "old",
         RULE("impersonate", "", "users", "\"jane\",\"system:anonymous\"") ","
         RULE("impersonate", "", "groups", "\"dev\"") ","
         RULE("impersonate", "authentication.k8s.io", "userextras/scopes", "\"view\"") ","
         RULE("impersonate", "authentication.k8s.io", "uids", "\"u1\""));
    bind(fixture, "narrow",
         RULE("impersonate:user-info", "authentication.k8s.io", "users", "\"jane\"") ","
         RULE("impersonate:user-info", "authentication.k8s.io", "groups", "") ","
         RULE("impersonate-on:user-info:list", "", "pods", ""));
    bind(fixture, "who-only",
         RULE("impersonate:user-info", "authentication.k8s.io", "users", "\"jane\""));
    bind(fixture, "accounts",
         RULE("impersonate", "", "serviceaccounts", "\"bot\"") ","
         RULE("impersonate:arbitrary-node", "authentication.k8s.io", "nodes", "\"n1\"") ","
         RULE("impersonate-on:arbitrary-node:list", "", "pods", ""));
    /* clang-format on */
}

TEST(impersonate_who_may)
{
    /* clang-format off */
    static const struct {
        const char *name, *real;
        struct wish wish;
        const char *groups, *message; /* of success, of refusal */
    } cases[] = {
        {"a user", "old", {.name = "jane"}, "system:authenticated", NULL},
        {"another user", "old", {.name = "jim"}, NULL,
         "pods is forbidden: User \"old\" cannot impersonate-on:user-info:list resource \"pods\" in API group \"\" in the namespace \"n\""},
        {"with a group", "old", {.name = "jane", .group = "dev"}, "dev,system:authenticated", NULL},
        {"with another group", "old", {.name = "jane", .group = "ops"}, NULL,
         "pods is forbidden: User \"old\" cannot impersonate-on:user-info:list resource \"pods\" in API group \"\" in the namespace \"n\""},
        {"nobody in particular", "old", {.name = "system:anonymous"}, "system:unauthenticated",
         NULL},
        {"with all there is", "old",
         {.name = "jane", .uid = "u1", .group = "dev", .extra_key = "Impersonate-Extra-Scopes", .extra = "view"},
         "dev,system:authenticated", NULL},
        {"the narrow way", "narrow", {.name = "jane"}, "system:authenticated", NULL},
        {"the narrow way, with a group", "narrow", {.name = "jane", .group = "x"},
         "x,system:authenticated", NULL},
        {"the narrow way never leads to system:masters", "narrow",
         {.name = "jane", .group = "system:masters"}, NULL,
         "groups.authentication.k8s.io \"system:masters\" is forbidden: User \"narrow\" cannot impersonate:user-info resource \"groups\" in API group \"authentication.k8s.io\" at the cluster scope: impersonating the system:masters group is not allowed"},
        {"the narrow way wants keys with a domain", "narrow",
         {.name = "jane", .extra_key = "Impersonate-Extra-Scopes", .extra = "view"}, NULL,
         "userextras.authentication.k8s.io is forbidden: User \"narrow\" cannot impersonate:user-info resource \"userextras\" in API group \"authentication.k8s.io\" at the cluster scope: impersonating an invalid key in extra is not allowed: extra.key: Invalid value: \"scopes\": must be a domain-prefixed path (such as \"acme.io/foo\")"},
        {"the narrow way, another user", "narrow", {.name = "jim"}, NULL,
         "users.authentication.k8s.io \"jim\" is forbidden: User \"narrow\" cannot impersonate:user-info resource \"users\" in API group \"authentication.k8s.io\" at the cluster scope"},
        {"the narrow way needs both halves", "who-only", {.name = "jane"}, NULL,
         "pods is forbidden: User \"who-only\" cannot impersonate-on:user-info:list resource \"pods\" in API group \"\" in the namespace \"n\""},
        {"an account has its groups", "accounts", {.name = "system:serviceaccount:n:bot"},
         "system:serviceaccounts,system:serviceaccounts:n,system:authenticated", NULL},
        {"another account", "accounts", {.name = "system:serviceaccount:n:cat"}, NULL,
         "pods is forbidden: User \"accounts\" cannot impersonate-on:serviceaccount:list resource \"pods\" in API group \"\" in the namespace \"n\""},
        {"a node has its group", "accounts", {.name = "system:node:n1"},
         "system:nodes,system:authenticated", NULL},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    bind_all(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct user_info user;
        SCOPED(buf) groups = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        OWNED(error) err = impersonate_as(&fixture, cases[i].real, "", &cases[i].wish, &user);
        CHECK_EQ(err ? err->message : "", cases[i].message ? cases[i].message : "");
        if (err)
            continue;
        for (size_t j = 0; j < user.user.groups.count; j++)
            buf_print(&groups, "%s%.*s", j ? "," : "", STR_ARG(user.user.groups.items[j]));
        CHECK_EQ(user.user.name, str_from_c(cases[i].wish.name));
        CHECK_EQ(buf_str(&groups), str_from_c(cases[i].groups));
    }
}

TEST(impersonate_extra)
{
    SCOPED(auth_fixture) fixture;
    struct user_info user;
    auth_fixture_init(&fixture);
    TEST_CASE("keys are escaped");
    CHECK_OK(impersonate_as(&fixture, "admin", "system:masters",
                            &(struct wish){.name = "jane",
                                           .extra_key = "Impersonate-Extra-Example.com%2fScope",
                                           .extra = "a b"},
                            &user));
    CHECK_EQ(user.extra_count, 1);
    CHECK_EQ(user.extra[0].key, STR("example.com/scope"));
    CHECK_EQ(user.extra[0].values.items[0], STR("a b"));
    TEST_CASE("those that are not are taken as they are");
    CHECK_OK(impersonate_as(
        &fixture, "admin", "system:masters",
        &(struct wish){.name = "jane", .extra_key = "Impersonate-Extra-100%", .extra = "x"},
        &user));
    CHECK_EQ(user.extra[0].key, STR("100%"));
}

TEST(impersonate_nobody)
{
    /* clang-format off */
    static const struct {
        const char *name;
        struct wish wish;
        const char *message;
    } cases[] = {
        {"a uid", {.uid = "u1"},
         "requested &user.DefaultInfo{Name:\"\", UID:\"u1\", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name"},
        {"a group", {.group = "dev"},
         "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"dev\"}, Extra:map[string][]string(nil)} without impersonating a user name"},
        {"extra", {.extra_key = "Impersonate-Extra-A", .extra = "b"},
         "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string(nil), Extra:map[string][]string{\"a\":[]string{\"b\"}}} without impersonating a user name"},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    struct user_info user;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(error)
        err = impersonate_as(&fixture, "admin", "system:masters", &cases[i].wish, &user);
        CHECK_EQ((int)err->code, (int)ERROR_BAD_REQUEST);
        CHECK_EQ(err->message, cases[i].message);
    }
    TEST_CASE("without headers everybody stays who they are");
    CHECK_OK(impersonate_as(&fixture, "admin", "", &(struct wish){.name = NULL}, &user));
    CHECK_EQ(user.user.name, STR("admin"));
}
