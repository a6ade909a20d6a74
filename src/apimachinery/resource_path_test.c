#include "apimachinery/resource_path.h"

#include "testing/test.h"

static void check_same(const struct resource_path *a, const struct resource_path *b)
{
    CHECK(gvr_eq(a->gvr, b->gvr));
    CHECK_EQ(a->namespace, b->namespace);
    CHECK_EQ(a->name, b->name);
    CHECK_EQ(a->subresource, b->subresource);
}

TEST(resource_path_both_ways)
{
    const struct gvr pods = GVR("", "v1", "pods"), sets = GVR("a.io", "v1beta2", "sets");
    const struct gvr spaces = GVR("", "v1", "namespaces");
    const struct {
        const char *text;
        struct gvr gvr;
        const char *namespace, *name, *subresource;
    } cases[] = {
        {"/api/v1/pods",                             pods,   "",  "",            ""         },
        {"/api/v1/namespaces/a/pods",                pods,   "a", "",            ""         },
        {"/api/v1/namespaces/a/pods/b",              pods,   "a", "b",           ""         },
        {"/api/v1/namespaces/a/pods/b/status",       pods,   "a", "b",           "status"   },
        {"/api/v1/namespaces/a/pods/b/proxy/x/y",    pods,   "a", "b",           "proxy/x/y"},
        {"/api/v1/namespaces/a/pods/b/proxy/%2E%2E", pods,   "a", "b",           "proxy/.." },
        {"/api/v1/namespaces",                       spaces, "",  "",            ""         },
        {"/api/v1/namespaces/a",                     spaces, "",  "a",           ""         },
        {"/api/v1/namespaces/a/finalize",            spaces, "",  "a",           "finalize" },
        {"/apis/a.io/v1beta2/sets",                  sets,   "",  "",            ""         },
        {"/apis/a.io/v1beta2/sets/x",                sets,   "",  "x",           ""         },
        {"/apis/a.io/v1beta2/namespaces/n/sets/x",   sets,   "n", "x",           ""         },
        {"/api/v1/pods/system:node",                 pods,   "",  "system:node", ""         },
        {"/api/v1/pods/a%2Fb%3Fc%23d%25%20%C3%A9",   pods,   "",  "a/b?c#d% é", ""         },
        {"/api/v1/pods/%2E%2E",                      pods,   "",  "..",          ""         },
    };
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct resource_path path = {cases[i].gvr, str_from_c(cases[i].namespace),
                                           str_from_c(cases[i].name),
                                           str_from_c(cases[i].subresource)};
        struct resource_path read;
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(resource_path_write(&arena, &path), str_from_c(cases[i].text));
        CHECK(resource_path_read(&arena, str_from_c(cases[i].text), &read));
        check_same(&read, &path);
    }
}

TEST(resource_path_refuses_what_is_none)
{
    const char *cases[] = {"",
                           "/",
                           "/version",
                           "/api",
                           "/api/v1",
                           "/api/v1/",
                           "/apis/apps/v1",
                           "/api//pods",
                           "/api/v1/pods/%zz",
                           "/api/v1/pods/%4",
                           "/api/v1/namespaces/a//b",
                           "/apiv1/pods",
                           "api/v1/pods"};
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct resource_path path;
        TEST_CASE("%s", cases[i]);
        CHECK(!resource_path_read(&arena, str_from_c(cases[i]), &path));
    }
}
