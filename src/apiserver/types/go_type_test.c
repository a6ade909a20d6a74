#include "apiserver/types/go_type.h"

#include "apiserver/types/go_types.h"
#include "json/path.h"
#include "testing/test.h"

/* The field at a dotted path such as "spec.template.spec.containers"; elements need no index. */
static const struct go_field *find_field(struct gvk gvk, const char *path)
{
    const struct go_type *type = go_type_find(gvk);
    const struct go_field *field = NULL;
    for (struct str name; json_path_next(&path, &name); type = field->type) {
        field = type ? go_type_field(type, name) : NULL;
        if (!field)
            return NULL;
    }
    return field;
}

TEST(merge_keys_of_lists)
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
        const struct go_field *field = find_field(cases[i].gvk, cases[i].path);
        CHECK(field);
        CHECK_EQ((field->flags & GO_MERGE) != 0, cases[i].merge);
        CHECK_EQ(str_from_c(field->merge_key), str_from_c(cases[i].key));
    }
}

TEST(merge_keys_of_one_of_types)
{
    const struct gvk deployment = GVK("apps", "v1", "Deployment");
    const struct go_field *strategy = find_field(deployment, "spec.strategy");
    const struct go_field *volumes = find_field(deployment, "spec.template.spec.volumes");
    CHECK(strategy && volumes);
    CHECK_EQ(strategy->flags & (GO_RETAIN_KEYS | GO_MERGE), GO_RETAIN_KEYS);
    CHECK_EQ(volumes->flags & (GO_RETAIN_KEYS | GO_MERGE), GO_RETAIN_KEYS | GO_MERGE);
}

TEST(types_have_no_other_fields)
{
    CHECK(!go_type_find(GVK("", "v2", "Pod")));
    CHECK(!go_type_find(GVK("example.com", "v1", "Pod")));
    CHECK(!find_field(GVK("", "v1", "Pod"), "spec.nothing"));
    CHECK(!find_field(GVK("", "v1", "Pod"), "spec.nodeName.x"));
}
