#include "apiserver/crd/crd.h"

#include "apiserver/crd/crd_fixture_test.h"
#include "apiserver/crd/crd_internal.h"
#include "json/builder.h"

static const struct str gadgets = STR_INIT("gadgets.crd.run.example.com");
static const struct str multis = STR_INIT("multis.ver.run.example.com");

TEST(crd_compile_fills_in_a_kind)
{
    OWNED(crd) crd = fixture_crd(gadgets);
    CHECK_EQ(crd_kind_count(crd), (size_t)1);
    const struct kind *kind = crd_kind(crd, 0);
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
    CHECK(crd_of_kind(kind) == crd);
    CHECK(crd_schema(kind) != NULL);
    struct crd_scale_paths scale;
    CHECK(crd_scale_paths(kind, &scale));
    CHECK_EQ(scale.spec_replicas, STR(".spec.replicas"));
    CHECK_EQ(scale.selector, STR(".status.selector"));
}

TEST(crd_versions_stand_in_the_order_of_preference)
{
    OWNED(crd) crd = fixture_crd(multis);
    CHECK_EQ(crd_kind_count(crd), (size_t)2);
    CHECK_EQ(crd_kind(crd, 0)->gvk.version, STR("v1"));
    CHECK_EQ(crd_kind(crd, 1)->gvk.version, STR("v1beta1"));
    CHECK_EQ(crd->storage->kind.gvk.version, STR("v1"));
    CHECK_EQ(crd_kind(crd, 0)->deprecation, STR(""));
    CHECK_EQ(crd_kind(crd, 1)->deprecation,
             STR("ver.run.example.com/v1beta1 Multi is deprecated; use ver.run.example.com/v1 "
                 "Multi"));
}

/* crd-versions-007 to -012: an object stored as v1 and shown as another version. */
TEST(crd_objects_are_shown_in_every_version)
{
    OWNED(crd) crd = fixture_crd(multis);
    ROWS_FOREACH(row, "custom/versions.jsonl")
    {
        const struct kind *kind = fixture_kind(crd, json_path_str(row, "version"));
        OWNED(json_doc) stored = json_doc_copy(json_get(row, STR("stored")));
        OWNED(json_doc) shown = NULL;
        CHECK_OK(kind->ops->present(kind, stored, &shown));
        fixture_check_json(json_doc_root(shown), json_get(row, STR("shown")));
    }
}

TEST(crd_objects_that_need_no_change_are_not_copied)
{
    OWNED(crd) crd = fixture_crd(multis);
    const struct kind *kind = fixture_kind(crd, STR("v1"));
    OWNED(json_doc)
    doc = fixture_read(STR("{\"apiVersion\":\"ver.run.example.com/v1\",\"kind\":\"Multi\","
                           "\"metadata\":{\"name\":\"x\",\"labels\":{\"a\":\"b\"}},"
                           "\"spec\":{\"a\":\"1\",\"d2\":\"z\"}}"));
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) shown = NULL;
    CHECK_OK(kind->ops->decode(kind, doc, NULL, &decoded));
    CHECK_OK(kind->ops->present(kind, decoded, &shown));
    CHECK(decoded == doc);
    CHECK(shown == doc);
}

/* A gadget of nothing but metadata. */
static struct json_doc *body_with(const struct json_value *metadata)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct json_doc *doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("crd.run.example.com/v1"));
    json_builder_add_str(&builder, "kind", STR("Gadget"));
    json_builder_add_value(&builder, "metadata", metadata);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    return doc;
}

TEST(crd_metadata_is_that_of_every_object)
{
    OWNED(crd) crd = fixture_crd(gadgets);
    const struct kind *kind = crd_kind(crd, 0);
    ROWS_FOREACH(row, "custom/metadata.jsonl")
    {
        SCOPED(arena) arena = {.limit = 0};
        struct json_warnings unknown = {.arena = &arena};
        OWNED(json_doc) body = body_with(json_get(row, STR("metadata")));
        OWNED(json_doc) doc = NULL;
        OWNED(error) err = kind->ops->decode(kind, body, &unknown, &doc);
        CHECK_EQ(err ? str_from_c(err->message) : STR(""), json_path_str(row, "error"));
        CHECK_EQ(unknown.count ? unknown.items[0] : STR(""), json_path_str(row, "warning"));
        if (!err)
            fixture_check_json(json_path(json_doc_root(doc), "metadata"),
                               json_get(row, STR("result")));
    }
}

static void check_cells(const struct crd *crd, const struct json_value *object,
                        const struct json_value *expected)
{
    const struct kind *kind = crd_kind(crd, 0);
    OWNED(json_doc) cells = NULL;
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_array(&builder);
    kind->ops->cells(kind, object, FIXTURE_NOW, &builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &cells));
    CHECK_EQ(json_count(json_doc_root(cells)), kind->column_count);
    fixture_check_json(json_doc_root(cells), expected);
}

/* crd-068, crd-070 and variations. */
TEST(crd_cells_show_the_columns)
{
    OWNED(crd) crd = fixture_crd(gadgets);
    ROWS_FOREACH(row, "custom/cells.jsonl")
    check_cells(crd, json_get(row, STR("object")), json_get(row, STR("cells")));
}

TEST(crd_columns_are_name_and_age_without_others)
{
    OWNED(crd) crd = fixture_crd(multis);
    const struct kind *kind = crd_kind(crd, 0);
    OWNED(json_doc)
    object = fixture_read(
        STR("{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"2023-11-14T22:13:20Z\"}}"));
    OWNED(json_doc) cells = fixture_read(STR("[\"a\",\"0s\"]"));
    CHECK_EQ(kind->column_count, (size_t)2);
    CHECK_EQ(kind->columns[0].name, "Name");
    CHECK_EQ(kind->columns[0].format, "name");
    CHECK_EQ(kind->columns[1].name, "Age");
    CHECK_EQ(kind->columns[1].type, "date");
    check_cells(crd, json_doc_root(object), json_doc_root(cells));
}

TEST(crd_updates_need_not_repair_what_they_leave_alone)
{
    OWNED(crd) crd = fixture_crd(gadgets);
    const struct kind *kind = crd_kind(crd, 0);
    ROWS_FOREACH(row, "custom/ratchet.jsonl")
    {
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) found = {.limit = 0};
        struct field_errors errors = {.arena = &arena};
        const struct kind_write write = {.old = json_get(row, STR("old")), .arena = &arena};
        kind->ops->validate(kind, &write, json_get(row, STR("object")), &errors);
        field_errors_write(&found, &errors);
        CHECK_EQ(buf_str(&found), json_path_str(row, "message"));
    }
}

/* A new object that is of another kind is refused for that alone. */
TEST(crd_updates_name_faults_of_the_metadata_beside_another_type)
{
    OWNED(crd) crd = fixture_crd(gadgets);
    const struct kind *kind = crd_kind(crd, 0);
    OWNED(json_doc) object = fixture_read(STR("{\"apiVersion\":\"v7\",\"kind\":\"Gadget\"}"));
    for (size_t is_update = 0; is_update < 2; is_update++) {
        SCOPED(arena) arena = {.limit = 0};
        struct field_errors errors = {.arena = &arena};
        const struct kind_write write = {.old = is_update ? json_doc_root(object) : NULL,
                                         .arena = &arena};
        TEST_CASE("update %zu", is_update);
        field_errors_add(&errors, FIELD_REQUIRED, STR("metadata.name"), STR(""));
        kind->ops->validate(kind, &write, json_doc_root(object), &errors);
        CHECK_EQ(errors.count, 1 + is_update);
        CHECK_EQ(errors.items[0].field, is_update ? STR("metadata.name") : STR("apiVersion"));
        CHECK_EQ(errors.items[is_update].field, STR("apiVersion"));
    }
}

/* A definition with 64 columns of one path, compiled. */
static struct crd *crd_of_columns(const char *path)
{
    SCOPED(buf) text = {.limit = 0};
    struct crd *crd = NULL;
    OWNED(json_doc) filled = NULL;
    buf_print(&text,
              "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
              "\"metadata\":{\"name\":\"rows.g.test\"},\"spec\":{\"group\":\"g.test\",\"names\":{"
              "\"plural\":\"rows\",\"kind\":\"Row\"},\"scope\":\"Cluster\",\"versions\":[{"
              "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
              "\"type\":\"object\"}},\"additionalPrinterColumns\":[");
    for (int i = 0; i < 64; i++)
        buf_print(&text, "%s{\"name\":\"c%d\",\"type\":\"string\",\"jsonPath\":\"%s\"}",
                  i ? "," : "", i, path);
    buf_add(&text, STR("]}]}}"));
    OWNED(json_doc) definition = fixture_read(buf_str(&text));
    CHECK_OK(definition_default(definition, &filled));
    CHECK_OK(crd_compile(json_doc_root(filled), NULL, &crd));
    return crd;
}

/* How many columns of a path show something of an object whose list has this many elements. */
static size_t cells_shown(const char *path, size_t elements)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(crd) crd = crd_of_columns(path);
    OWNED(json_doc) cells = NULL;
    const struct json_value *cell;
    size_t shown = 0;
    bool ended = false;
    buf_add(&text, STR("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"l\":["));
    for (size_t i = 0; i < elements; i++)
        buf_print(&text, "%s{\"x\":%zu}", i ? "," : "", i);
    buf_add(&text, STR("]}}"));
    OWNED(json_doc) object = fixture_read(buf_str(&text));
    json_builder_array(&builder);
    crd_kind(crd, 0)->ops->cells(crd_kind(crd, 0), json_doc_root(object), FIXTURE_NOW, &builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &cells));
    CHECK_EQ(json_count(json_doc_root(cells)), (size_t)65);
    CHECK_EQ(json_to_str(json_at(json_doc_root(cells), 0)), STR("a"));
    JSON_FOREACH (key, cell, json_doc_root(cells)) {
        CHECK(!ended || json_type(cell) == JSON_NULL);
        ended = json_type(cell) == JSON_NULL;
        shown += !ended;
    }
    return shown - 1;
}

/* The columns of a row share a budget; those behind its end are empty. */
TEST(crd_cells_of_a_row_cost_no_more_than_a_limit)
{
    static const struct {
        const char *path;
        size_t elements, least, most;
    } cases[] = {
        {".spec.l[?(@.x==1)].x", 100,  64, 64},
        {".spec.l[?(@.x==1)].x", 4000, 2,  20},
        {".spec.l[-1].x",        1000, 64, 64},
        {".spec.l[-1].x",        9000, 10, 30},
        {".spec.l[0].x",         9000, 64, 64},
        {".spec",                100,  64, 64},
        {".spec",                9000, 10, 50},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s of %zu", cases[i].path, cases[i].elements);
        const size_t shown = cells_shown(cases[i].path, cases[i].elements);
        CHECK(shown >= cases[i].least && shown <= cases[i].most);
    }
}

/* One column may show all of the largest object, and the others are there, too. */
TEST(crd_cells_show_the_largest_object_once)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(crd) crd = crd_of_columns(".spec");
    OWNED(json_doc) cells = NULL;
    buf_add(&text, STR("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"s\":\""));
    for (int i = 0; i < 3000000; i++)
        buf_add_char(&text, 'a');
    buf_add(&text, STR("\"}}"));
    OWNED(json_doc) object = fixture_read(buf_str(&text));
    json_builder_array(&builder);
    crd_kind(crd, 0)->ops->cells(crd_kind(crd, 0), json_doc_root(object), FIXTURE_NOW, &builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &cells));
    CHECK(json_to_str(json_at(json_doc_root(cells), 1)).len > 3000000);
    CHECK(json_size(json_doc_root(cells)) < (size_t)9000000);
}
