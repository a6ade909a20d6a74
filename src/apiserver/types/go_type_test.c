#include "apiserver/types/go_type.h"

#include "testing/test.h"

TEST(strategic_keys_find)
{
    const struct gvk pod = GVK("", "v1", "Pod"), deployment = GVK("apps", "v1", "Deployment");
    const struct gvk service = GVK("", "v1", "Service"), map = GVK("", "v1", "ConfigMap");
    const struct gvk cron = GVK("batch", "v1", "CronJob");
    const struct {
        const char *name;
        struct gvk gvk;
        const char *path;
        bool merge;
        const char *key;
    } cases[] = {
        {"finalizers are a set",   map,        "metadata.finalizers",                  true,  NULL  },
        {"owners have uids",       map,        "metadata.ownerReferences",             true,  "uid" },
        {"ports of services",      service,    "spec.ports",                           true,  "port"},
        {"conditions",             service,    "status.conditions",                    true,  "type"},
        {"containers",             pod,        "spec.containers",                      true,  "name"},
        {"arguments are replaced", pod,        "spec.containers.args",                 false, NULL  },
        {"inlined types",          pod,        "spec.volumes.configMap.items",         false, NULL  },
        {"templates",              deployment, "spec.template.spec.volumes",           true,  "name"},
        {"tolerations",            deployment, "spec.template.spec.tolerations",       false, NULL  },
        {"jobs",                   cron,       "spec.jobTemplate.metadata.finalizers", true,  NULL  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct strategic_keys keys;
        CHECK(strategic_keys_find(go_type_find(cases[i].gvk), cases[i].path, &keys));
        CHECK_EQ(keys.merge, cases[i].merge);
        CHECK_EQ(str_from_c(keys.merge_key), str_from_c(cases[i].key));
    }
}

TEST(strategic_keys_of_one_of_types)
{
    struct strategic_keys keys;
    const struct go_type *type = go_type_find(GVK("apps", "v1", "Deployment"));
    CHECK(strategic_keys_find(type, "spec.strategy", &keys));
    CHECK(keys.retain_keys && !keys.merge);
    CHECK(strategic_keys_find(type, "spec.template.spec.volumes", &keys));
    CHECK(keys.retain_keys && keys.merge);
}

TEST(strategic_keys_of_nothing)
{
    struct strategic_keys keys;
    CHECK(!go_type_find(GVK("", "v2", "Pod")));
    CHECK(!go_type_find(GVK("example.com", "v1", "Pod")));
    CHECK(!strategic_keys_find(go_type_find(GVK("", "v1", "Pod")), "spec.nothing", &keys));
    CHECK(!strategic_keys_find(go_type_find(GVK("", "v1", "Pod")), "spec.nodeName.x", &keys));
}
