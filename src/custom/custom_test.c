#include "custom/custom.h"

#include "custom/custom_rig_test.h"
#include "json/builder.h"

static const struct str gadgets = STR_INIT("gadgets.crd.run.example.com");
static const struct str multis = STR_INIT("multis.ver.run.example.com");

TEST(custom_compile_fills_in_a_kind)
{
    OWNED(custom) custom = rig_custom(gadgets);
    CHECK_EQ(custom_kind_count(custom), (size_t)1);
    const struct kind *kind = custom_kind(custom, 0);
    CHECK(gvk_eq(kind->gvk, GVK("crd.run.example.com", "v1", "Gadget")));
    CHECK_EQ(kind->plural, STR("gadgets"));
    CHECK_EQ(kind->singular, STR("gadget"));
    CHECK_EQ(kind->list_kind, STR("GadgetList"));
    CHECK_EQ(kind->stored_as, gadgets);
    CHECK(kind->namespaced && kind->has_generation && kind->is_custom);
    CHECK_EQ(kind->verbs, (unsigned)KIND_ALL);
    CHECK_EQ(kind->short_names.count, (size_t)1);
    CHECK_EQ(kind->short_names.items[0], STR("gd"));
    CHECK_EQ(kind->categories.items[0], STR("all"));
    CHECK_EQ(kind->subresource_count, (size_t)2);
    CHECK_EQ(kind->subresources[0].name, "status");
    CHECK_EQ(kind->subresources[1].name, "scale");
    CHECK_EQ(kind->subresources[1].gvk.kind, STR("Scale"));
    CHECK_EQ(kind->field_label_count, (size_t)1);
    CHECK_EQ(kind->field_labels[0].label, STR("spec.color"));
    CHECK_EQ(kind->field_labels[0].path, "spec.color");
    CHECK(custom_of_kind(kind) == custom);
    CHECK(custom_schema(kind) != NULL);
    struct custom_scale scale;
    CHECK(custom_scale(kind, &scale));
    CHECK_EQ(scale.spec_replicas, STR(".spec.replicas"));
    CHECK_EQ(scale.selector, STR(".status.selector"));
}

TEST(custom_versions_stand_in_the_order_of_preference)
{
    OWNED(custom) custom = rig_custom(multis);
    CHECK_EQ(custom_kind_count(custom), (size_t)2);
    CHECK_EQ(custom_kind(custom, 0)->gvk.version, STR("v1"));
    CHECK_EQ(custom_kind(custom, 1)->gvk.version, STR("v1beta1"));
    CHECK_EQ(custom_storage_version(custom), STR("v1"));
    CHECK_EQ(custom_kind(custom, 0)->deprecation, STR(""));
    CHECK_EQ(custom_kind(custom, 1)->deprecation,
             STR("ver.run.example.com/v1beta1 Multi is deprecated; use ver.run.example.com/v1 "
                 "Multi"));
}

/* crd-versions-007 to -012: an object stored as v1 and shown as another version. */
TEST(custom_objects_are_shown_in_every_version)
{
    static const struct {
        const char *version, *stored, *shown;
    } cases[] = {
        {"v1",
         "{\"apiVersion\":\"ver.run.example.com/v1\",\"kind\":\"Multi\",\"spec\":{\"a\":\"1\",\"b\":\"2\"}}",
         "{\"apiVersion\":\"ver.run.example.com/v1\",\"kind\":\"Multi\",\"spec\":{\"a\":\"1\",\"b\":\"2\",\"d2\":\"two\"}}"},
        {"v1beta1",
         "{\"apiVersion\":\"ver.run.example.com/v1\",\"kind\":\"Multi\",\"spec\":{\"a\":\"1\",\"b\":\"2\"}}",
         "{\"apiVersion\":\"ver.run.example.com/v1beta1\",\"kind\":\"Multi\",\"spec\":{\"a\":\"1\"}}"                      },
        {"v1",
         "{\"apiVersion\":\"ver.run.example.com/v1beta1\",\"kind\":\"Multi\",\"spec\":{\"a\":\"1\"}}",
         "{\"apiVersion\":\"ver.run.example.com/v1\",\"kind\":\"Multi\",\"spec\":{\"a\":\"1\"}}"                           },
        {"v1",
         "{\"apiVersion\":\"ver.run.example.com/v0\",\"kind\":\"Multi\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"a\":\"1\"}}",
         "{\"apiVersion\":\"ver.run.example.com/v1\",\"kind\":\"Multi\",\"metadata\":{\"name\":\"x\"}}"                    },
    };
    OWNED(custom) custom = rig_custom(multis);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct kind *kind = rig_kind(custom, str_from_c(cases[i].version));
        OWNED(json_doc) stored = rig_read(str_from_c(cases[i].stored));
        OWNED(json_doc) expected = rig_read(str_from_c(cases[i].shown));
        OWNED(json_doc) shown = NULL;
        TEST_CASE("%s", cases[i].stored);
        CHECK_OK(kind->ops->present(kind, stored, &shown));
        rig_check_json(json_doc_root(shown), json_doc_root(expected));
    }
}

TEST(custom_objects_that_need_no_change_are_not_copied)
{
    OWNED(custom) custom = rig_custom(multis);
    const struct kind *kind = rig_kind(custom, STR("v1"));
    OWNED(json_doc)
    doc = rig_read(STR("{\"apiVersion\":\"ver.run.example.com/v1\",\"kind\":\"Multi\","
                       "\"metadata\":{\"name\":\"x\",\"labels\":{\"a\":\"b\"}},"
                       "\"spec\":{\"a\":\"1\",\"d2\":\"z\"}}"));
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) shown = NULL;
    CHECK_OK(kind->ops->decode(kind, doc, NULL, &decoded));
    CHECK_OK(kind->ops->present(kind, decoded, &shown));
    CHECK(decoded == doc);
    CHECK(shown == doc);
}

static void check_decode(struct str metadata, const char *expected, const char *warning)
{
    OWNED(custom) custom = rig_custom(gadgets);
    const struct kind *kind = custom_kind(custom, 0);
    SCOPED(arena) arena = {.limit = 0};
    struct json_warnings unknown = {.arena = &arena};
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc)
    body = rig_read(arena_print(&arena,
                                "{\"apiVersion\":\"crd.run.example.com/v1\",\"kind\":\"Gadget\","
                                "\"metadata\":%.*s}",
                                STR_ARG(metadata)));
    OWNED(error) err = kind->ops->decode(kind, body, &unknown, &doc);
    SCOPED(buf) seen = {.limit = 0};
    if (!err)
        json_write(&seen, json_get(json_doc_root(doc), STR("metadata")));
    CHECK_EQ(err ? str_from_c(err->message) : buf_str(&seen), str_from_c(expected));
    CHECK_EQ(unknown.count ? unknown.items[0] : STR(""), str_from_c(warning));
}

TEST(custom_metadata_is_that_of_every_object)
{
    static const struct {
        const char *metadata, *result, *warning;
    } cases[] = {
        {"{\"name\":\"x\"}",                                                                                          "{\"name\":\"x\"}",                                                 ""                                               },
        {"null",                                                                                                      "{}",                                                               ""                                               },
        {"{\"name\":\"x\",\"bogus\":1}",                                                                              "{\"name\":\"x\"}",                                                 "unknown field \"metadata.bogus\""               },
        {"{\"name\":\"x\",\"labels\":{},\"finalizers\":[],\"generation\":0,\"uid\":\"\",\"creationTimestamp\":null}",
         "{\"name\":\"x\"}",                                                                                                                                                              ""                                               },
        {"{\"labels\":{\"a\":null}}",                                                                                 "{\"labels\":{\"a\":\"\"}}",                                        ""                                               },
        {"{\"deletionGracePeriodSeconds\":0}",                                                                        "{\"deletionGracePeriodSeconds\":0}",                               ""                                               },
        {"{\"creationTimestamp\":\"2020-01-01T01:00:00.5+01:00\"}",
         "{\"creationTimestamp\":\"2020-01-01T00:00:00Z\"}",                                                                                                                              ""                                               },
        {"{\"ownerReferences\":[{\"name\":\"a\",\"x\":1}]}",
         "{\"ownerReferences\":[{\"name\":\"a\",\"apiVersion\":\"\",\"kind\":\"\",\"uid\":\"\"}]}",                                                                                       "unknown field \"metadata.ownerReferences[0].x\""},
        {"{\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:x\":{}}}]}",
         "{\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:x\":{}}}]}",                                                                                                           ""                                               },
        {"[]",                                                                                                        "json: cannot unmarshal array into Go value of type v1.ObjectMeta", ""                                               },
        {"{\"name\":1}",
         "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",                                                                                             ""                                               },
        {"{\"labels\":[]}",
         "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string",
         ""                                                                                                                                                                                                                                },
        {"{\"labels\":{\"a\":1}}",
         "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",                                                                                           ""                                               },
        {"{\"uid\":true}",
         "json: cannot unmarshal bool into Go struct field ObjectMeta.uid of type types.UID",                                                                                             ""                                               },
        {"{\"generation\":1.5}",
         "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
         ""                                                                                                                                                                                                                                },
        {"{\"finalizers\":\"a\"}",
         "json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string",
         ""                                                                                                                                                                                                                                },
        {"{\"ownerReferences\":[1]}",
         "json: cannot unmarshal number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference",
         ""                                                                                                                                                                                                                                },
        {"{\"ownerReferences\":[{\"name\":1}]}",
         "json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.name of type string",
         ""                                                                                                                                                                                                                                },
        {"{\"creationTimestamp\":\"x\"}",
         "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"",                                                                                           ""                                               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].metadata);
        check_decode(str_from_c(cases[i].metadata), cases[i].result, cases[i].warning);
    }
}

static void check_cells(const struct custom *custom, const char *object, const char *expected)
{
    const struct kind *kind = custom_kind(custom, 0);
    OWNED(json_doc) doc = rig_read(str_from_c(object));
    OWNED(json_doc) cells = NULL;
    SCOPED(buf) text = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_array(&builder);
    kind->ops->cells(kind, json_doc_root(doc), RIG_NOW, &builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &cells));
    CHECK_EQ(json_count(json_doc_root(cells)), kind->column_count);
    json_write(&text, json_doc_root(cells));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

/* crd-068, crd-070 and variations. */
TEST(custom_cells_show_the_columns)
{
    static const struct {
        const char *object, *cells;
    } cases[] = {
        {"{\"metadata\":{\"name\":\"g1\",\"creationTimestamp\":\"2023-11-14T22:13:19Z\"},\"spec\":{\"size\":4,\"color\":\"red\",\"tags\":[\"x\"]}}",
         "[\"g1\",4,null,\"red\",null,\"[\\\"x\\\"]\",\"1s\"]"                               },
        {"{\"metadata\":{\"name\":\"g1\",\"creationTimestamp\":\"2023-11-14T22:03:19Z\"},\"spec\":{\"size\":4.7,\"flag\":false},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
         "[\"g1\",4,\"True\",null,false,null,\"10m\"]"                                       },
        {"{\"metadata\":{\"name\":\"g1\",\"creationTimestamp\":\"then\"},\"spec\":{\"size\":\"4\",\"flag\":\"x\",\"color\":null,\"tags\":{\"b\":1,\"a\":2}}}",
         "[\"g1\",null,null,\"<no value>\",null,\"{\\\"a\\\":2,\\\"b\\\":1}\",\"<invalid>\"]"},
        {"{\"metadata\":{\"name\":\"g1\"},\"spec\":{\"color\":1.5,\"tags\":true},\"status\":{\"conditions\":{}}}",
         "[\"g1\",null,null,\"1.5\",null,\"true\",null]"                                     },
    };
    OWNED(custom) custom = rig_custom(gadgets);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].object);
        check_cells(custom, cases[i].object, cases[i].cells);
    }
}

TEST(custom_columns_are_name_and_age_without_others)
{
    OWNED(custom) custom = rig_custom(multis);
    const struct kind *kind = custom_kind(custom, 0);
    CHECK_EQ(kind->column_count, (size_t)2);
    CHECK_EQ(kind->columns[0].name, "Name");
    CHECK_EQ(kind->columns[0].format, "name");
    CHECK_EQ(kind->columns[1].name, "Age");
    CHECK_EQ(kind->columns[1].type, "date");
    check_cells(custom,
                "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"2023-11-14T22:13:20Z\"}}",
                "[\"a\",\"0s\"]");
}
