#include "apiserver/endpoints/request.h"

#include "testing/test.h"

struct row {
    const char *method, *target;
    const char *verb;     /* "" for none */
    const char *resource; /* "version resource namespace/name/subresource" */
};

static void check(const struct row *row)
{
    SCOPED(arena) arena = {0};
    struct request request = {.arena = &arena};
    TEST_CASE("%s %s", row->method, row->target);
    CHECK_OK(request_read(&request, str_from_c(row->method), str_from_c(row->target)));
    CHECK(request.is_resource);
    CHECK_EQ(verb_name(request.verb), str_from_c(row->verb));
    const struct str seen =
        arena_print(&arena, "%.*s%s%.*s %.*s %.*s/%.*s/%.*s", STR_ARG(request.gvr.group),
                    request.gvr.group.len ? "/" : "", STR_ARG(request.gvr.version),
                    STR_ARG(request.gvr.resource), STR_ARG(request.namespace),
                    STR_ARG(request.name), STR_ARG(request.subresource));
    CHECK_EQ(seen, str_from_c(row->resource));
}

TEST(request_knows_verbs_and_resources)
{
    static const struct row rows[] = {
        {"GET",     "/api/v1/pods",                                                  "list",             "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch=true",                                       "watch",            "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch=1&limit=5",                                  "watch",            "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch=false",                                      "list",             "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch=True",                                       "watch",            "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch",                                            "watch",            "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch=no",                                         "watch",            "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch=False",                                      "list",             "v1 pods //"               },
        {"GET",     "/api/v1/pods?watch=0",                                          "list",             "v1 pods //"               },
        {"GET",     "/api/v1/namespaces/a/pods",                                     "list",             "v1 pods a//"              },
        {"GET",     "/api/v1/namespaces/a/pods/b",                                   "get",              "v1 pods a/b/"             },
        {"GET",     "/api/v1/namespaces/a/pods/b?watch=1",                           "get",              "v1 pods a/b/"             },
        {"HEAD",    "/api/v1/namespaces/a/pods/b",                                   "get",              "v1 pods a/b/"             },
        {"POST",    "/api/v1/namespaces/a/pods",                                     "create",           "v1 pods a//"              },
        {"PUT",     "/api/v1/namespaces/a/pods/b/status",                            "update",           "v1 pods a/b/status"       },
        {"PATCH",   "/apis/apps/v1/namespaces/a/deployments/b",                      "patch",            "apps/v1 deployments a/b/" },
        {"DELETE",  "/apis/apps/v1/namespaces/a/deployments/b",                      "delete",
         "apps/v1 deployments a/b/"                                                                                                 },
        {"DELETE",  "/apis/apps/v1/namespaces/a/deployments",                        "deletecollection",
         "apps/v1 deployments a//"                                                                                                  },
        {"GET",     "/api/v1/namespaces",                                            "list",             "v1 namespaces //"         },
        {"GET",     "/api/v1/namespaces/a",                                          "get",              "v1 namespaces /a/"        },
        {"PUT",     "/api/v1/namespaces/a/finalize",                                 "update",           "v1 namespaces /a/finalize"},
        {"OPTIONS", "/api/v1/pods",                                                  "",                 "v1 pods //"               },
        {"BREW",    "/api/v1/pods",                                                  "",                 "v1 pods //"               },
        {"get",     "/api/v1/pods",                                                  "",                 "v1 pods //"               },
        {"GET",     "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode", "get",
         "rbac.authorization.k8s.io/v1 clusterroles /system:node/"                                                                  },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check(&rows[i]);
}

TEST(request_knows_the_watch_paths_of_old)
{
    static const struct row rows[] = {
        {"GET",    "/api/v1/watch/pods",                             "watch", "v1 pods //"            },
        {"GET",    "/api/v1/watch/namespaces/a/pods",                "watch", "v1 pods a//"           },
        {"GET",    "/api/v1/watch/namespaces/a/pods/b",              "watch", "v1 pods a/b/"          },
        {"GET",    "/api/v1/watch/namespaces",                       "watch", "v1 namespaces //"      },
        {"GET",    "/apis/apps/v1/watch/deployments?watch=0",        "watch", "apps/v1 deployments //"},
        {"GET",    "/apis/apps/v1/watch/namespaces/a/deployments/b", "watch",
         "apps/v1 deployments a/b/"                                                                   },
        {"POST",   "/api/v1/watch/namespaces/a/pods",                "",      "v1 pods a//"           },
        {"DELETE", "/api/v1/watch/namespaces/a/pods/b",              "",      "v1 pods a/b/"          },
        {"GET",    "/api/v1/namespaces/watch/pods",                  "list",  "v1 pods watch//"       },
        {"GET",    "/apis/watch/v1/pods",                            "list",  "watch/v1 pods //"      },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check(&rows[i]);
}

TEST(request_refuses_paths_with_tricks)
{
    static const char *const targets[] = {
        "",
        "api/v1/pods",
        "//api/v1/pods",
        "/api//v1/pods",
        "/api/v1/namespaces//pods",
        "/api/v1/../v1/pods",
        "/api/v1/namespaces/./pods",
        "/api/v1/namespaces/%2e%2e/pods",
        "/api/v1/namespaces/a/pods/%2E",
        "/api/v1/namespaces/a%2F%2Fpods",
        "/api/v1/namespaces/a/pods/b%00",
        "/api/v1/namespaces/a/pods/b%",
        "/api/v1/namespaces/a/pods/%zz",
        "/..",
        "/healthz/..",
        "/api/v1/pods//",
        "?watch=1",
        "*",
    };
    for (size_t i = 0; i < COUNT(targets); i++) {
        SCOPED(arena) arena = {0};
        struct request request = {.arena = &arena};
        TEST_CASE("%s", targets[i]);
        CHECK_FAILS(request_read(&request, STR("GET"), str_from_c(targets[i])), ERROR_NO_SUCH_PATH,
                    "404 page not found");
        CHECK(!request.is_resource);
    }
}

TEST(request_leaves_other_paths_alone)
{
    static const char *const targets[] = {
        "/",        "/api",     "/api/v1",     "/apis", "/apis/apps", "/apis/apps/v1",
        "/healthz", "/version", "/openapi/v2", "/api/", "/api/v1/",   "/apisauce/a/b/c"};
    for (size_t i = 0; i < COUNT(targets); i++) {
        SCOPED(arena) arena = {0};
        struct request request = {.arena = &arena};
        TEST_CASE("%s", targets[i]);
        CHECK_OK(request_read(&request, STR("GET"), str_from_c(targets[i])));
        CHECK(!request.is_resource);
        CHECK_EQ(request.path, str_from_c(targets[i]));
    }
}

TEST(request_keeps_a_slash_inside_of_a_name)
{
    SCOPED(arena) arena = {0};
    struct request request = {.arena = &arena};
    CHECK_OK(request_read(&request, STR("GET"), STR("/api/v1/namespaces/a/pods/b%2Fstatus")));
    CHECK_EQ(request.name, STR("b/status"));
    CHECK_EQ(request.subresource, STR(""));
}

TEST(request_attributes_say_what_is_asked_for)
{
    static const struct {
        const char *method, *target;
        const char *verb, *namespace, *name;
    } rows[] = {
        {"GET",     "/api/v1/namespaces/a/pods/b",                                              "get",              "a", "b"},
        {"GET",     "/api/v1/pods?watch=1",                                                     "watch",            "",  "" },
        {"GET",     "/api/v1/namespaces/a",                                                     "get",              "a", "a"},
        {"GET",     "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db",                "list",             "a", "b"},
        {"HEAD",    "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db",                "list",             "a", "b"},
        {"GET",     "/api/v1/pods?watch=1&fieldSelector=metadata.name=b,spec.nodeName=c",       "watch",            "",
         "b"                                                                                                                },
        {"GET",     "/api/v1/namespaces?fieldSelector=metadata.name=b",                         "list",             "",  "b"},
        {"GET",     "/api/v1/pods?fieldSelector=metadata.name!=b",                              "list",             "",  "" },
        {"GET",     "/api/v1/pods?fieldSelector=spec.nodeName=b",                               "list",             "",  "" },
        {"GET",     "/api/v1/pods?fieldSelector=metadata.name",                                 "list",             "",  "" },
        {"GET",     "/api/v1/pods?fieldSelector=metadata.name=b/c",                             "list",             "",  "" },
        {"GET",     "/api/v1/pods?fieldSelector=metadata.name=b&fieldSelector=metadata.name=c", "list",
         "",                                                                                                             "b"},
        {"GET",     "/api/v1/namespaces/a/pods/b?fieldSelector=metadata.name=c",                "get",              "a", "b"},
        {"GET",     "/api/v1/watch/pods?fieldSelector=metadata.name=b",                         "watch",            "",  "" },
        {"GET",     "/api/v1/watch/namespaces/a/pods/b?fieldSelector=metadata.name=c",          "watch",            "a",
         "b"                                                                                                                },
        {"DELETE",  "/api/v1/namespaces/a/pods?fieldSelector=metadata.name=b",                  "deletecollection",
         "a",                                                                                                            "" },
        {"POST",    "/api/v1/namespaces/a/pods?fieldSelector=metadata.name=b",                  "create",           "a", "" },
        {"OPTIONS", "/api/v1/pods",                                                             "options",          "",  "" },
        {"GET",     "/healthz",                                                                 "get",              "",  "" },
        {"DELETE",  "/metrics",                                                                 "delete",           "",  "" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SCOPED(arena) arena = {0};
        struct request request = {.arena = &arena};
        TEST_CASE("%s %s", rows[i].method, rows[i].target);
        CHECK_OK(request_read(&request, str_from_c(rows[i].method), str_from_c(rows[i].target)));
        const struct rbac_attributes attributes = request_attributes(&request);
        CHECK_EQ(attributes.verb, str_from_c(rows[i].verb));
        CHECK_EQ(attributes.namespace, str_from_c(rows[i].namespace));
        CHECK_EQ(attributes.name, str_from_c(rows[i].name));
        CHECK_EQ(attributes.is_resource_request, request.is_resource);
    }
}
