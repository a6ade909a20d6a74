#include "apimachinery/gvk.h"

#include "testing/test.h"

TEST(gvk_api_version_both_ways)
{
    const struct {
        const char *text, *group, *version;
    } cases[] = {
        {"v1",                              "",                        "v1"     },
        {"apps/v1",                         "apps",                    "v1"     },
        {"addons.cluster.x-k8s.io/v1beta2", "addons.cluster.x-k8s.io", "v1beta2"},
        {"",                                "",                        ""       },
    };
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gvk gvk = {.group = STR("x")};
        TEST_CASE("%s", cases[i].text);
        CHECK_OK(gvk_from_api_version(str_from_c(cases[i].text), STR("K"), &gvk));
        CHECK_EQ(gvk.group, str_from_c(cases[i].group));
        CHECK_EQ(gvk.version, str_from_c(cases[i].version));
        CHECK_EQ(gvk.kind, STR("K"));
        CHECK_EQ(gvk_api_version(&arena, gvk), str_from_c(cases[i].text));
    }
    struct gvk untouched = GVK("a", "b", "c");
    CHECK_FAILS(gvk_from_api_version(STR("a/b/c"), STR("K"), &untouched), ERROR_INVALID,
                "unexpected GroupVersion string: a/b/c");
    CHECK_EQ(untouched.group, STR("a"));
}

TEST(gvr_command_line_forms)
{
    const struct {
        const char *text, *resource, *version, *group;
    } cases[] = {
        {"pods",                       "pods",        "",        ""                    },
        {"pods.v1.",                   "pods",        "v1",      ""                    },
        {"deployments.apps",           "deployments", "",        "apps"                },
        {"deployments.v1.apps",        "deployments", "v1",      "apps"                },
        {"a.v1beta2.cluster.x-k8s.io", "a",           "v1beta2", "cluster.x-k8s.io"    },
        {"crds.apiextensions.k8s.io",  "crds",        "",        "apiextensions.k8s.io"},
        {"things.v1",                  "things",      "",        "v1"                  },
    };
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        const struct gvr gvr = gvr_read(str_from_c(cases[i].text));
        CHECK_EQ(gvr.resource, str_from_c(cases[i].resource));
        CHECK_EQ(gvr.version, str_from_c(cases[i].version));
        CHECK_EQ(gvr.group, str_from_c(cases[i].group));
        if (gvr.version.len)
            CHECK(gvr_eq(gvr_read(gvr_write(&arena, gvr)), gvr));
    }
    CHECK(gvk_eq(gvk_read(STR("Deployment.v1.apps")), GVK("apps", "v1", "Deployment")));
    CHECK_EQ(gvk_group_kind(&arena, GVK("", "v1", "Pod")), STR("Pod"));
    CHECK_EQ(gvr_group_resource(&arena, GVR("apps", "v1", "deployments")), STR("deployments.apps"));
}

TEST(version_order_of_preference)
{
    const struct str order[] = {STR("v10"),      STR("v2"),      STR("v1"),        STR("v11beta2"),
                                STR("v10beta3"), STR("v3beta1"), STR("v12alpha1"), STR("v11alpha2"),
                                STR("foo1"),     STR("foo10"),   STR("v0")};
    for (size_t i = 0; i < COUNT(order); i++)
        for (size_t j = 0; j < COUNT(order); j++) {
            TEST_CASE("%s, %s", order[i].ptr, order[j].ptr);
            const int cmp = version_cmp(order[i], order[j]);
            CHECK_EQ((cmp > 0) - (cmp < 0), (i > j) - (i < j));
        }
}
