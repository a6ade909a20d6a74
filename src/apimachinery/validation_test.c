#include "apimachinery/validation.h"

#include "apimachinery/metadata_validation.h"
#include "apimachinery/rows_test.h"
#include "base/memory.h"
#include "json/builder.h"

/* Checks of names.jsonl that judge a string by itself. */
static const struct {
    const char *name;
    name_check_fn *check;
} checks[] = {
    {"dns1123subdomain", validation_dns1123_subdomain},
    {"dns1123label",     validation_dns1123_label    },
    {"dns1035label",     validation_dns1035_label    },
    {"labelkey",         validation_label_key        },
    {"labelvalue",       validation_label_value      },
    {"configmapkey",     validation_config_map_key   },
    {"pathsegment",      validation_path_segment     },
};

/* The value as the only key of an object, or the only element of an array. */
static struct json_doc *wrapped(struct str value, bool as_key)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct json_doc *doc = NULL;
    if (as_key) {
        json_builder_object(&builder);
        json_builder_key(&builder, value);
    } else {
        json_builder_array(&builder);
    }
    json_builder_str(&builder, as_key ? STR("x") : value);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    return doc;
}

/* The checks that know a field path. */
static void run_field_check(struct field_errors *errors, struct str check, struct str value)
{
    OWNED(json_doc) map = wrapped(value, true);
    OWNED(json_doc) list = wrapped(value, false);
    if (str_eq(check, STR("labels")))
        metadata_check_labels(errors, STR("metadata.labels"), json_doc_root(map));
    else if (str_eq(check, STR("annotations")))
        metadata_check_annotations(errors, STR("metadata.annotations"), json_doc_root(map));
    else if (str_eq(check, STR("finalizers")))
        metadata_check_finalizers(errors, STR("metadata.finalizers"), json_doc_root(list));
    else if (str_eq(check, STR("metadata.name")))
        metadata_check_name(errors, check, value, validation_dns1123_subdomain);
    else if (str_eq(check, STR("metadata.generateName")))
        metadata_check_generate_name(errors, check, value, validation_dns1123_subdomain);
    else
        CHECK_EQ(check, STR("a check we know"));
}

/* One array of texts for both sorts of checks. */
static size_t run_check(struct arena *arena, struct str check, struct str value, struct str *texts)
{
    struct field_errors errors = {.arena = arena};
    for (size_t i = 0; i < COUNT(checks); i++) {
        if (!str_eq(check, str_from_c(checks[i].name)))
            continue;
        const struct validation found = checks[i].check(value);
        memcpy(texts, found.messages, sizeof(found.messages));
        return found.count;
    }
    run_field_check(&errors, check, value);
    for (size_t i = 0; i < errors.count; i++)
        texts[i] = arena_print(arena, "%.*s: %.*s", STR_ARG(errors.items[i].field),
                               STR_ARG(errors.items[i].body));
    return errors.count;
}

TEST(validation_oracle)
{
    size_t rows = 0;
    ROWS_FOREACH(row, "oracle/names.jsonl")
    {
        SCOPED(arena) arena = {.limit = 0};
        struct str texts[VALIDATION_MESSAGES_MAX];
        bool valid = false;
        const struct json_value *messages = json_get(row, STR("messages"));
        const size_t count =
            run_check(&arena, json_path_str(row, "check"), json_path_str(row, "value"), texts);
        CHECK(json_to_bool(json_get(row, STR("valid")), &valid));
        CHECK_EQ(count == 0, valid);
        CHECK_EQ(count, json_count(messages));
        for (size_t i = 0; i < count; i++)
            CHECK_EQ(texts[i], json_to_str(json_at(messages, i)));
        rows++;
    }
    CHECK_EQ(rows, (size_t)214);
}

static void check_metadata(const char *metadata, const char *expected)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    struct field_errors errors = {.arena = &arena};
    TEST_CASE("%s", metadata);
    CHECK_OK(json_read(str_from_c(metadata), &doc));
    metadata_check(&errors, json_doc_root(doc), validation_dns1123_subdomain);
    field_errors_write(&text, &errors);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(validation_of_whole_metadata)
{
    check_metadata("{\"name\":\"a\",\"labels\":null,\"finalizers\":[\"b.io/c\"]}", "");
    check_metadata("{\"generateName\":\"a-\"}", "");
    check_metadata("{}", "metadata.name: Required value: name or generateName is required");
    check_metadata("{\"name\":\"a\",\"labels\":[1],\"annotations\":{\"a\":1}}",
                   "[metadata.labels: Invalid value: must be an object, "
                   "metadata.annotations: Invalid value: must be a string]");
    check_metadata("{\"name\":\"a\",\"ownerReferences\":[{\"kind\":\"K\",\"name\":\"n\","
                   "\"apiVersion\":\"v1\"}]}",
                   "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty");
    check_metadata(
        "{\"name\":\"a\",\"ownerReferences\":["
        "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n\",\"uid\":\"1\",\"controller\":true},"
        "{\"apiVersion\":\"v1\",\"kind\":\"L\",\"name\":\"m\",\"uid\":\"2\",\"controller\":true}]}",
        "metadata.ownerReferences: Invalid value: "
        "[{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n\",\"uid\":\"1\",\"controller\":true},"
        "{\"apiVersion\":\"v1\",\"kind\":\"L\",\"name\":\"m\",\"uid\":\"2\",\"controller\":true}]: "
        "Only one reference can have Controller set to true. Found \"true\" in references for K/n "
        "and L/m");
}

TEST(validation_of_many_mistakes_is_bounded)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) doc = NULL;
    buf_add(&text, STR("{\"name\":\"a\",\"finalizers\":[\"-\""));
    for (int i = 0; i < 5000; i++)
        buf_add(&text, STR(",\"-\""));
    buf_add(&text, STR("],\"ownerReferences\":[null"));
    for (int i = 0; i < 5000; i++)
        buf_add(&text, STR(",{\"controller\":true}"));
    buf_add(&text, STR("]}"));
    CHECK_OK(json_read(buf_str(&text), &doc));
    metadata_check(&errors, json_doc_root(doc), validation_dns1123_subdomain);
    CHECK_EQ(errors.count, (size_t)FIELD_ERRORS_MAX);
    CHECK_OK(arena_check(&arena));
}

TEST(validation_of_too_many_annotations)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) doc = NULL;
    buf_add(&text, STR("{\"a\":\""));
    for (size_t i = 0; i < ANNOTATIONS_SIZE_MAX; i++)
        buf_add_char(&text, 'x');
    buf_add(&text, STR("\"}"));
    CHECK_OK(json_read(buf_str(&text), &doc));
    metadata_check_annotations(&errors, STR("metadata.annotations"), json_doc_root(doc));
    CHECK_EQ(errors.count, (size_t)1);
    CHECK_EQ(errors.items[0].body, STR("Too long: may not be more than 262144 bytes"));
}
