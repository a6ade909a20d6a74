#include "json/builder.h"

#include "testing/test.h"

static void check_built(struct json_builder *builder, const char *expected)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(json_builder_finish(builder, &doc));
    json_write(&text, json_doc_root(doc));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(json_builder_makes_an_object)
{
    OWNED(json_doc) labels = NULL;
    CHECK_OK(json_read(STR("{\"x\":\"y\",\"n\":[1.0,{}]}"), &labels));
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("ConfigMap"));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_value(&builder, "labels", json_doc_root(labels));
    json_builder_add_int(&builder, "generation", 3);
    json_builder_end(&builder);
    json_builder_add_array(&builder, "list");
    json_builder_double(&builder, 1.5);
    json_builder_bool(&builder, false);
    json_builder_null(&builder);
    json_builder_value(&builder, NULL);
    json_builder_array(&builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_add_bool(&builder, "immutable", true);
    json_builder_end(&builder);
    check_built(&builder,
                "{\"kind\":\"ConfigMap\",\"metadata\":{\"labels\":{\"x\":\"y\",\"n\":[1,{}]},"
                "\"generation\":3},\"list\":[1.5,false,null,null,[]],\"immutable\":true}");

    json_builder_str(&builder, STR("used again"));
    check_built(&builder, "\"used again\"");
}

TEST(json_builder_settles)
{
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_object(&builder);
    json_builder_add_int(&builder, "a", 1);
    json_builder_add_str(&builder, "b", STR("\xff"));
    json_builder_add_int(&builder, "a", 2);
    json_builder_end(&builder);
    check_built(&builder, "{\"b\":\"\xef\xbf\xbd\",\"a\":2}");
}

TEST(json_builder_limits)
{
    struct json_doc *doc = NULL;
    SCOPED(json_builder) builder = {.limit = 1 * KILOBYTE};
    json_builder_array(&builder);
    for (int i = 0; i < 100; i++)
        json_builder_int(&builder, i);
    json_builder_end(&builder);
    CHECK_ERROR(json_builder_finish(&builder, &doc), ERROR_TOO_LARGE);

    SCOPED(json_builder) deep = {.limit = 0};
    for (int i = 0; i <= JSON_DEPTH_MAX; i++)
        json_builder_array(&deep);
    for (int i = 0; i <= JSON_DEPTH_MAX; i++)
        json_builder_end(&deep);
    CHECK_ERROR(json_builder_finish(&deep, &doc), ERROR_TOO_LARGE);
}

/* Each part is within the limit, the whole is not. */
TEST(json_builder_counts_depth_of_parts)
{
    OWNED(json_doc) part = NULL;
    SCOPED(json_builder) builder = {.limit = 0};
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_builder_array(&builder);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &part));

    struct json_doc *doc = NULL;
    json_builder_array(&builder);
    json_builder_value(&builder, json_doc_root(part));
    json_builder_end(&builder);
    CHECK_ERROR(json_builder_finish(&builder, &doc), ERROR_TOO_LARGE);
    CHECK(!doc);
}
