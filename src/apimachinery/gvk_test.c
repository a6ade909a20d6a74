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

TEST(gvk_forms_in_messages)
{
    SCOPED(arena) arena = {.limit = 0};
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
