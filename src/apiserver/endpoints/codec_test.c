#include "apiserver/endpoints/codec.h"

#include "base/duration.h"
#include "json/path.h"
#include "testing/test.h"

static struct object_text *text_of(const char *json)
{
    struct object_text *text = NULL;
    CHECK_OK(object_text_from_json(str_from_c(json), &text));
    return text;
}

#define MAP                                                                                           \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"," \
    "\"uid\":\"u\",\"resourceVersion\":\"5\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},"        \
    "\"data\":{\"k\":\"<v>\"}}"

static struct codec codec_of(enum response_form form, enum include_object include)
{
    return (struct codec){
        .format = {.form = form, .include = include, .table_version = STR("v1")},
        .kind = kinds_find(GVR("", "v1", "configmaps")),
        .now = (INT64_C(1767225600) + 90) * SECOND,
    };
}

TEST(codec_passes_a_stored_object_on_as_it_is)
{
    SCOPED(buf) out = {.limit = 0};
    OWNED(object_text) text = text_of(MAP);
    const struct codec codec = codec_of(FORM_OBJECT, INCLUDE_METADATA);
    CHECK_OK(codec_write(&out, &codec, text, true));
    CHECK_EQ(buf_str(&out), STR(MAP));
}

TEST(codec_of_metadata_holds_nothing_else)
{
    SCOPED(buf) out = {.limit = 0};
    OWNED(object_text) text = text_of(MAP);
    const struct codec codec = codec_of(FORM_METADATA, INCLUDE_METADATA);
    CHECK_OK(codec_write(&out, &codec, text, true));
    CHECK_CONTAINS(buf_str(&out), STR("\"kind\":\"PartialObjectMetadata\""));
    CHECK_CONTAINS(buf_str(&out), STR("\"apiVersion\":\"meta.k8s.io/v1\""));
    CHECK(!str_contains(buf_str(&out), STR("\"data\"")));
}

TEST(codec_of_a_table_includes_what_is_asked_for)
{
    static const struct {
        enum include_object include;
        const char *kind; /* of the object of a row; "" for none */
    } cases[] = {
        {INCLUDE_METADATA, "PartialObjectMetadata"},
        {INCLUDE_OBJECT,   "ConfigMap"            },
        {INCLUDE_NONE,     ""                     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) out = {.limit = 0};
        OWNED(object_text) text = text_of(MAP);
        OWNED(json_doc) doc = NULL;
        const struct codec codec = codec_of(FORM_TABLE, cases[i].include);
        TEST_CASE("row %zu", i);
        CHECK_OK(codec_write(&out, &codec, text, i == 0));
        CHECK_OK(json_read(buf_str(&out), &doc));
        const struct json_value *root = json_doc_root(doc);
        CHECK_EQ(json_path_str(root, "kind"), STR("Table"));
        CHECK_EQ(json_path_str(root, "metadata.resourceVersion"), STR("5"));
        CHECK_EQ(json_path_str(root, "rows.0.cells.0"), STR("a"));
        CHECK_EQ(json_path_str(root, "rows.0.cells.2"), STR("90s"));
        CHECK_EQ(json_path_str(root, "rows.0.object.kind"), str_from_c(cases[i].kind));
        CHECK_EQ(json_count(json_get(root, STR("columnDefinitions"))) > 0, i == 0);
    }
}

TEST(codec_of_a_list_is_json)
{
    static const enum response_form forms[] = {FORM_OBJECT, FORM_TABLE, FORM_METADATA};
    static const char *const kinds[] = {"ConfigMapList", "Table", "PartialObjectMetadataList"};
    for (size_t i = 0; i < COUNT(forms); i++)
        for (size_t count = 0; count < 3; count++) {
            SCOPED(buf) out = {.limit = 0};
            OWNED(object_text) text = text_of(MAP);
            OWNED(json_doc) doc = NULL;
            const struct codec codec = codec_of(forms[i], INCLUDE_METADATA);
            const struct codec_list_metadata metadata = {count == 0, 7, STR("t\"k"), true, 3};
            TEST_CASE("%s of %zu", kinds[i], count);
            codec_list_begin(&out, &codec);
            for (size_t j = 0; j < count; j++)
                CHECK_OK(codec_list_item(&out, &codec, text, j == 0));
            codec_list_end(&out, &codec, &metadata);
            CHECK_OK(json_read(buf_str(&out), &doc));
            const struct json_value *root = json_doc_root(doc);
            CHECK_EQ(json_path_str(root, "kind"), str_from_c(kinds[i]));
            CHECK_EQ(json_path_str(root, "metadata.resourceVersion"), STR("7"));
            CHECK_EQ(json_path_str(root, "metadata.continue"), STR("t\"k"));
            CHECK_EQ(json_count(json_get(root, i == 1 ? STR("rows") : STR("items"))), count);
        }
}

TEST(codec_of_a_bookmark_is_json)
{
    static const enum response_form forms[] = {FORM_OBJECT, FORM_TABLE, FORM_METADATA};
    static const char *const places[] = {"metadata", "rows.0.object.metadata", "metadata"};
    for (size_t i = 0; i < COUNT(forms); i++)
        for (int ends = 0; ends < 2; ends++) {
            SCOPED(buf) out = {.limit = 0};
            OWNED(json_doc) doc = NULL;
            const struct codec codec = codec_of(forms[i], INCLUDE_METADATA);
            TEST_CASE("form %zu", i);
            codec_bookmark(&out, &codec, 42, ends);
            CHECK_OK(json_read(buf_str(&out), &doc));
            const struct json_value *metadata = json_path(json_doc_root(doc), places[i]);
            CHECK_EQ(json_path_str(metadata, "resourceVersion"), STR("42"));
            CHECK_EQ(json_get(metadata, STR("annotations")) != NULL, (bool)ends);
        }
}
