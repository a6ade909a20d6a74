#include "cmd/bundle_parts.h"

#include "base/buf.h"
#include "clusterresourceset/types/content.h"
#include "clusterresourceset/types/content_resources.h"
#include "cmd/bundle_set.h"
#include "json/yaml/manifest.h"
#include "json/yaml/yaml_write.h"
#include "testing/test.h"

/* A definition in the shape of those of large operators: deep, and full of descriptions. */
static void add_definition(struct buf *out, size_t number, size_t fields)
{
    buf_print(out,
              "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
              "metadata: {name: k%zu.example.test}\nspec:\n  group: example.test\n"
              "  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n"
              "        properties:\n          spec:\n            properties:\n",
              number);
    for (size_t i = 0; i < fields; i++)
        buf_print(
            out,
            "              field%zu:\n                description: |-\n"
            "                  Sentence %zu of definition %zu: \"quoted\", and # no comment.\n"
            "                  It may not change while %zu.\n"
            "                type: integer\n                maximum: %zu.5\n",
            i, i * 7919 % 10007, number, i * number, i);
}

static void read_items(struct str text, struct content_items *items)
{
    SCOPED(manifest_list) list = {0};
    CHECK_OK(manifest_read(text, NULL, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        struct content_item item = {.document = i + 1};
        CHECK_OK(object_from_doc(list.docs[i], &item.object));
        content_items_add(items, item);
    }
}

/* Some 4.5 MB of definitions between a Deployment and a Namespace. */
static void make_items(struct content_items *items, size_t definitions, size_t fields)
{
    SCOPED(buf) text = {.limit = 64 * MEGABYTE};
    buf_add(&text, STR("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"));
    for (size_t i = 0; i < definitions; i++)
        add_definition(&text, i, fields);
    buf_add(&text, STR("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n"));
    read_items(buf_str(&text), items);
}

/* As files, read as "corset render" reads them: the same objects in the same order. */
static void check_round_trip(const struct bundle_parts *parts, const struct content_items *items,
                             size_t max)
{
    size_t at = 0;
    for (size_t i = 0; i < parts->count; i++) {
        SCOPED(buf) file = {.limit = 64 * MEGABYTE};
        SCOPED(content_items) resources = {0};
        yaml_write(&file, object_root(parts->items[i]));
        CHECK_OK(content_resources_read(buf_str(&file), STR(""), &resources, NULL));
        CHECK_EQ(resources.count, 1);
        CHECK(file.len < 2 * max + 1000);
        OWNED(content) content = content_read(resources.items[0].object);
        CHECK(!content_error(content));
        for (size_t j = 0; j < content_count(content); j++, at++) {
            SCOPED(buf) before = {0};
            SCOPED(buf) after = {0};
            object_write(&before, items->items[at].object);
            object_write(&after, content_object(content, j));
            CHECK(str_eq(buf_str(&before), buf_str(&after)));
        }
    }
    CHECK_EQ(at, items->count);
}

TEST(bundle_parts_bring_the_same_objects_in_the_same_order)
{
    static const struct {
        const char *name;
        bool secret, gzip;
        size_t parts;
    } cases[] = {
        {"ConfigMaps",        false, false, 5},
        {"Secrets",           true,  false, 5},
        {"packed ConfigMaps", false, true,  1},
        {"packed Secrets",    true,  true,  1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(content_items) items = {0};
        SCOPED(bundle_parts) parts = {0};
        const struct bundle_options options = {.name = STR("cni"),
                                               .max = 900 * KILOBYTE,
                                               .secret = cases[i].secret,
                                               .gzip = cases[i].gzip};
        make_items(&items, 30, 600);
        CHECK_OK(bundle_parts_make(&items, &options, &parts));
        CHECK_EQ(parts.count, cases[i].parts);
        CHECK_EQ(object_name(parts.items[0]), STR("cni-01"));
        CHECK_EQ(object_kind(items.items[0].object), STR("Namespace"));
        CHECK_EQ(object_kind(items.items[1].object), STR("CustomResourceDefinition"));
        CHECK_EQ(object_kind(items.items[31].object), STR("Deployment"));
        check_round_trip(&parts, &items, options.max);
    }
}

TEST(bundle_parts_write_json_where_yaml_is_too_large)
{
    SCOPED(content_items) items = {0};
    SCOPED(bundle_parts) parts = {0};
    SCOPED(buf) yaml = {.limit = 64 * MEGABYTE};
    make_items(&items, 1, 4000);
    yaml_write(&yaml, object_root(items.items[1].object));
    const struct bundle_options options = {.name = STR("cni"), .max = yaml.len - 1};
    CHECK_OK(bundle_parts_make(&items, &options, &parts));
    const struct str data =
        json_to_str(json_get(json_get(object_root(parts.items[0]), STR("data")), STR("cni.yaml")));
    CHECK_CONTAINS(data, STR("---\n{\"apiVersion\":\"apiextensions.k8s.io/v1\""));
    CHECK_CONTAINS(data, STR("---\napiVersion: v1\nkind: Namespace"));
    check_round_trip(&parts, &items, options.max);
}

TEST(bundle_parts_refuse_what_cannot_be_cut)
{
    SCOPED(content_items) items = {0};
    SCOPED(bundle_parts) parts = {0};
    SCOPED(bundle_parts) packed = {0};
    struct bundle_options options = {.name = STR("cni"), .max = 20 * KILOBYTE};
    make_items(&items, 1, 1000);
    CHECK_FAILS(bundle_parts_make(&items, &options, &parts), ERROR_TOO_LARGE,
                "customresourcedefinition.apiextensions.k8s.io/k0.example.test alone takes");
    options.gzip = true;
    CHECK_OK(bundle_parts_make(&items, &options, &packed));
    SCOPED(content_items) many = {0};
    SCOPED(bundle_parts) too_many = {0};
    make_items(&many, 200, 10);
    options = (struct bundle_options){.name = STR("cni"), .max = 3 * KILOBYTE};
    CHECK_FAILS(bundle_parts_make(&many, &options, &too_many), ERROR_TOO_LARGE,
                "more than 99 parts");
}

TEST(bundle_parts_say_what_they_were_told)
{
    SCOPED(content_items) items = {0};
    SCOPED(bundle_parts) parts = {0};
    const struct bundle_options options = {.name = STR("cni"),
                                           .namespace = STR("fleet"),
                                           .default_namespace = STR("argocd"),
                                           .max = 900 * KILOBYTE};
    make_items(&items, 1, 1);
    CHECK_OK(bundle_parts_make(&items, &options, &parts));
    OWNED(content) content = content_read(parts.items[0]);
    CHECK_EQ(content_default_namespace(content), STR("argocd"));
    CHECK_EQ(object_namespace(parts.items[0]), STR("fleet"));
}

TEST(bundle_set_names_the_parts_in_order)
{
    static const struct {
        const char *name, *selector, *spec;
    } cases[] = {
        {"labels",      "a=b,c==d",             "{\"clusterSelector\":{\"matchLabels\":{\"a\":\"b\",\"c\":\"d\"}},"},
        {"expressions", "a!=b,c in (e,d),f,!g",
         "{\"clusterSelector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\","
         "\"values\":[\"b\"]},{\"key\":\"c\",\"operator\":\"In\",\"values\":[\"d\",\"e\"]},"
         "{\"key\":\"f\",\"operator\":\"Exists\"},{\"key\":\"g\",\"operator\":\"DoesNotExist\"}]},"                },
        {"size",        "a>1",                  ""                                                                 },
        {"empty",       "",                     ""                                                                 },
        {"none",        "a=!",                  ""                                                                 },
    };
    SCOPED(content_items) items = {0};
    SCOPED(bundle_parts) parts = {0};
    const struct bundle_options options = {.name = STR("cni"), .max = 8 * KILOBYTE};
    make_items(&items, 2, 20);
    CHECK_OK(bundle_parts_make(&items, &options, &parts));
    CHECK_EQ(parts.count, 2);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(buf) text = {0};
        OWNED(object) set = NULL;
        OWNED(error)
        err = bundle_set_make(STR("s"), str_from_c(cases[i].selector), STR("Reconcile"), &parts,
                              &set);
        CHECK_EQ(err != NULL, cases[i].spec[0] == '\0');
        if (err)
            continue;
        json_write(&text, json_get(object_root(set), STR("spec")));
        CHECK_CONTAINS(buf_str(&text), str_from_c(cases[i].spec));
        CHECK_CONTAINS(buf_str(&text),
                       STR("\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"cni-01\"},"
                           "{\"kind\":\"ConfigMap\",\"name\":\"cni-02\"}],"
                           "\"strategy\":\"Reconcile\"}"));
    }
}
