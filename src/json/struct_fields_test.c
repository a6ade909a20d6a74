#include "json/struct_fields.h"

#include "testing/test.h"

struct resource {
    struct str kind, name;
};

struct sample {
    struct str name;
    bool paused;
    struct json_strings finalizers;
    const struct json_value *selector, *extra;
    struct resource *resources;
    size_t resource_count;
};

static const struct json_field resource_fields[] = {
    {"kind", json_read_str, offsetof(struct resource, kind), JSON_REQUIRED},
    {"name", json_read_str, offsetof(struct resource, name), JSON_REQUIRED},
};

static struct error *read_resources(struct arena *arena, const struct json_value *value, void *out)
{
    struct sample *sample = CONTAINER_OF(out, struct sample, resources);
    return json_read_list(arena, value, resource_fields, COUNT(resource_fields),
                          sizeof(struct resource), (void **)out, &sample->resource_count);
}

#define AT(member) offsetof(struct sample, member)

static const struct json_field sample_fields[] = {
    {"metadata.name",       json_read_str,     AT(name),       JSON_REQUIRED},
    {"metadata.finalizers", json_read_strings, AT(finalizers), JSON_OPTIONAL},
    {"spec.paused",         json_read_bool,    AT(paused),     JSON_OPTIONAL},
    {"spec.selector",       json_read_object,  AT(selector),   JSON_OPTIONAL},
    {"spec.extra",          json_read_any,     AT(extra),      JSON_OPTIONAL},
    {"spec.resources",      read_resources,    AT(resources),  JSON_OPTIONAL},
};

static struct error *read_sample(struct arena *arena, const struct json_doc *doc,
                                 struct sample *sample)
{
    return json_read_fields(arena, json_doc_root(doc), sample_fields, COUNT(sample_fields), sample);
}

TEST(json_read_fields)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR("{\"metadata\":{\"name\":\"n\",\"finalizers\":[\"a\",\"b\"]},"
                           "\"spec\":{\"selector\":{},\"extra\":[],\"paused\":true,"
                           "\"resources\":[{\"kind\":\"Secret\",\"name\":\"s\",\"more\":1}]}}"),
                       &doc));
    SCOPED(arena) arena = {.limit = 0};
    struct sample sample = {.paused = false};
    CHECK_OK(read_sample(&arena, doc, &sample));
    CHECK_EQ(sample.name, STR("n"));
    CHECK_EQ(sample.finalizers.count, (size_t)2);
    CHECK_EQ(sample.finalizers.items[1], STR("b"));
    CHECK(sample.paused);
    CHECK_EQ((int)json_type(sample.selector), JSON_OBJECT);
    CHECK_EQ((int)json_type(sample.extra), JSON_ARRAY);
    CHECK_EQ(sample.resource_count, (size_t)1);
    CHECK_EQ(sample.resources[0].name, STR("s"));
}

TEST(json_read_fields_leaves_absent_ones)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR("{\"metadata\":{\"name\":\"n\"},\"spec\":null}"), &doc));
    SCOPED(arena) arena = {.limit = 0};
    struct sample sample = {.paused = true};
    CHECK_OK(read_sample(&arena, doc, &sample));
    CHECK(sample.paused);
    CHECK(!sample.selector);
}

static void check_wrong(const char *text, const char *message)
{
    TEST_CASE("%s", text);
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    struct sample sample = {.paused = false};
    CHECK_OK(json_read(str_from_c(text), &doc));
    OWNED(error) err = read_sample(&arena, doc, &sample);
    CHECK(err);
    CHECK_EQ((const char *)err->message, message);
    CHECK_EQ((int)err->code, ERROR_INVALID);
}

#define NAMED(rest) "{\"metadata\":{\"name\":\"n\"" rest

TEST(json_read_fields_names_what_is_wrong)
{
    check_wrong("[]", "expected an object, found an array");
    check_wrong("{}", "metadata.name: required, but absent");
    check_wrong("{\"metadata\":{\"name\":null}}", "metadata.name: required, but null");
    check_wrong("{\"metadata\":{\"name\":7}}", "metadata.name: expected a string, found a number");
    check_wrong(NAMED(",\"finalizers\":[\"a\",{}]}}"),
                "metadata.finalizers: 1: expected a string, found an object");
    check_wrong(NAMED("},\"spec\":{\"paused\":\"yes\"}}"),
                "spec.paused: expected a boolean, found a string");
    check_wrong(NAMED("},\"spec\":{\"selector\":true}}"),
                "spec.selector: expected an object, found a boolean");
    check_wrong(NAMED("},\"spec\":{\"resources\":[{\"kind\":\"Secret\"}]}}"),
                "spec.resources: 0: name: required, but absent");
}

TEST(json_read_fields_takes_empty_lists)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR(NAMED(",\"finalizers\":[]},\"spec\":{\"resources\":[]}}")), &doc));
    SCOPED(arena) arena = {.limit = 0};
    struct sample sample = {.resource_count = 7};
    CHECK_OK(read_sample(&arena, doc, &sample));
    CHECK_EQ(sample.finalizers.count, (size_t)0);
    CHECK_EQ(sample.resource_count, (size_t)0);
}

TEST(json_read_fields_is_limited_by_the_arena)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR("{\"metadata\":{\"name\":\"n\",\"finalizers\":[\"\""));
    for (int i = 0; i < 1000; i++)
        buf_add(&text, STR(",\"\""));
    buf_add(&text, STR("]}}"));
    SCOPED(arena) arena = {.limit = 4 * KILOBYTE};
    OWNED(json_doc) doc = NULL;
    struct sample sample = {.paused = false};
    CHECK_OK(json_read(buf_str(&text), &doc));
    CHECK_FAILS(read_sample(&arena, doc, &sample), ERROR_TOO_LARGE, "metadata.finalizers");
}
