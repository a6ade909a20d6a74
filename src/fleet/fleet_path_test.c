#include "fleet/fleet_path.h"

#include "testing/test.h"

#define ONE FLEET_PREFIX "/namespaces/prod/clusters/a1/proxy"
#define ALL FLEET_PREFIX "/fleet"

TEST(fleet_paths_are_taken_apart)
{
    const struct {
        const char *target;
        enum fleet_path_kind kind;
        const char *cluster, *rest, *query;
    } rows[] = {
        {"/apis/fleet.corset.dev",                 FLEET_PATH_GROUP,   "",   "",                         ""       },
        {FLEET_PREFIX,                             FLEET_PATH_ROOT,    "",   "",                         ""       },
        {FLEET_PREFIX "/",                         FLEET_PATH_ROOT,    "",   "",                         ""       },
        {ONE "/api/v1/pods?watch=1",               FLEET_PATH_ONE,     "a1", "/api/v1/pods",             "watch=1"},
        {ONE,                                      FLEET_PATH_ONE,     "a1", "/",                        ""       },
        {ONE "/",                                  FLEET_PATH_ONE,     "a1", "/",                        ""       },
        {ONE "/apis/",                             FLEET_PATH_ONE,     "a1", "/apis/",                   ""       },
        {ONE "/api/v1/a%3Ab",                      FLEET_PATH_ONE,     "a1", "/api/v1/a%3Ab",            ""       },
        {ALL "/apis/apps/v1/daemonsets?limit=1",   FLEET_PATH_ALL,     "",   "/apis/apps/v1/daemonsets",
         "limit=1"                                                                                                },
        {ALL,                                      FLEET_PATH_ALL,     "",   "/",                        ""       },
        {FLEET_PREFIX "/namespaces/prod/clusters", FLEET_PATH_UNKNOWN, "",   "",                         ""       },
        {"/apis/fleet.corset.dev/v2",              FLEET_PATH_UNKNOWN, "",   "",                         ""       },
        {"/apis/fleet.corset.dev/v2/fleet",        FLEET_PATH_UNKNOWN, "",   "",                         ""       },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SCOPED(arena) arena = {0};
        struct fleet_path path;
        TEST_CASE("%s", rows[i].target);
        CHECK(fleet_path_is_ours(str_from_c(rows[i].target)));
        CHECK_OK(fleet_path_read(&arena, str_from_c(rows[i].target), &path));
        CHECK_EQ((int)path.kind, (int)rows[i].kind);
        CHECK_EQ(path.cluster.name, str_from_c(rows[i].cluster));
        CHECK_EQ(path.rest, str_from_c(rows[i].rest));
        CHECK_EQ(path.query, str_from_c(rows[i].query));
    }
}

TEST(fq_23_ambiguous_paths_are_refused)
{
    const char *const targets[] = {
        ONE "/../b2/proxy/api",
        ONE "/%2e%2e/b2/proxy/api",
        ONE "/.%2E/x",
        ONE "/./api",
        ONE "//api/v1",
        ONE "/api//v1",
        ONE "/api%2Fv1/pods",
        ONE "/api%2fv1/pods",
        ONE "/a%5cb",
        ONE "/a%00b",
        ONE "/a%0ab",
        ONE "/a%zz",
        ONE "/a%2",
        ALL "/api/v1/..%2fsecrets",
        ALL "//api",
        FLEET_PREFIX "/namespaces/prod/clusters/a1%2Fproxy/proxy/api",
        FLEET_PREFIX "/namespaces/../clusters/a1/proxy/api",
        FLEET_PREFIX "/namespaces//clusters/a1/proxy/api",
    };
    for (size_t i = 0; i < COUNT(targets); i++) {
        SCOPED(arena) arena = {0};
        struct fleet_path path;
        TEST_CASE("%s", targets[i]);
        CHECK_ERROR(fleet_path_read(&arena, str_from_c(targets[i]), &path), ERROR_BAD_REQUEST);
    }
}

TEST(escaped_words_are_found_in_a_path)
{
    SCOPED(arena) arena = {0};
    struct fleet_path path;
    CHECK_OK(fleet_path_read(&arena, STR(ONE "/api/v1/%73ecrets/x"), &path));
    CHECK(fleet_path_has(&path, STR("secrets")));
    CHECK(!fleet_path_has(&path, STR("proxy")));
    CHECK(!fleet_path_is_ours(STR("/apis/fleet.corset.dev.evil/v1alpha1")));
    CHECK(!fleet_path_is_ours(STR("/api/v1")));
}
