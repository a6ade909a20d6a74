#include "apiserver/endpoints/metadata.h"

#include "base/random.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

/* 2026-01-01T00:00:00Z */
#define NOW (INT64_C(1767225600) * SECOND)

static struct json_doc *read(const char *text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    return doc;
}

static void check_is(const struct json_doc *doc, const char *expected)
{
    OWNED(json_doc) want = read(expected);
    SCOPED(buf) text = {.limit = 0};
    json_write(&text, json_doc_root(doc));
    if (!json_equal(json_doc_root(doc), json_doc_root(want)))
        CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(metadata_of_a_new_object_is_the_servers)
{
    static const struct {
        const char *body;
        struct metadata_new values;
        const char *result;
    } cases[] = {
        {"{}",
         {STR_INIT("a"), STR_INIT("n"), STR_INIT("u"), NOW, false},
         "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\",\"creationTimestamp\":"
         "\"2026-01-01T00:00:00Z\"}}"                                          },
        {"{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"uid\":\"mine\",\"resourceVersion\":\"5\","
         "\"selfLink\":\"/a\",\"deletionTimestamp\":\"2020-01-01T00:00:00Z\","
         "\"deletionGracePeriodSeconds\":5,\"creationTimestamp\":null,\"labels\":{\"k\":\"v\"}}}", {STR_INIT("a"), STR_INIT(""), STR_INIT("u"), NOW, true},
         "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\",\"creationTimestamp\":"
         "\"2026-01-01T00:00:00Z\",\"labels\":{\"k\":\"v\"},\"generation\":1}}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = read(cases[i].body);
        OWNED(json_doc) made = NULL;
        TEST_CASE("row %zu", i);
        CHECK_OK(metadata_create(doc, &cases[i].values, &made));
        check_is(made, cases[i].result);
    }
}

TEST(metadata_that_the_server_set_is_kept)
{
    static const char old[] =
        "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"5\","
        "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"generation\":3,"
        "\"deletionTimestamp\":\"2026-01-02T00:00:00Z\",\"deletionGracePeriodSeconds\":0}}";
    static const char *const bodies[] = {
        "{\"metadata\":{\"name\":\"a\"}}",
        ("{\"metadata\":{\"name\":\"a\",\"uid\":\"\",\"creationTimestamp\":null,\"generation\":9,"
         "\"deletionTimestamp\":null,\"selfLink\":\"/a\",\"resourceVersion\":\"4\"}}"),
        "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\",\"creationTimestamp\":\"1999-01-01T00:00:00Z\"}}",
        "{\"metadata\":{\"name\":\"a\",\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        OWNED(json_doc) was = read(old);
        OWNED(json_doc) doc = read(bodies[i]);
        OWNED(json_doc) kept = NULL;
        TEST_CASE("%s", bodies[i]);
        CHECK_OK(metadata_keep(doc, json_doc_root(was), STR("n"), &kept));
        check_is(kept, old);
    }
}

TEST(metadata_that_a_client_gives_is_left_to_be_refused)
{
    OWNED(json_doc) was = read("{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}");
    OWNED(json_doc) doc = read("{\"metadata\":{\"name\":\"b\",\"uid\":\"other\"}}");
    OWNED(json_doc) kept = NULL;
    SCOPED(arena) arena = {0};
    struct field_errors errors = {.arena = &arena};
    CHECK_OK(metadata_keep(doc, json_doc_root(was), STR(""), &kept));
    metadata_check_change(&errors, json_doc_root(kept), json_doc_root(was));
    CHECK_EQ(errors.count, (size_t)2);
    CHECK_EQ(errors.items[0].field, STR("metadata.name"));
    CHECK_EQ(errors.items[1].field, STR("metadata.uid"));
}

TEST(metadata_generation_counts_what_was_wanted)
{
    static const struct {
        const char *name, *old, *now;
        bool status_apart;
        int64_t generation;
    } cases[] = {
        {"nothing",          "{\"spec\":{\"a\":1}}",      "{\"spec\":{\"a\":1}}",      true,  7},
        {"spec",             "{\"spec\":{\"a\":1}}",      "{\"spec\":{\"a\":2}}",      true,  8},
        {"spec added",       "{}",                        "{\"spec\":{}}",             true,  8},
        {"spec removed",     "{\"spec\":{}}",             "{}",                        true,  8},
        {"status apart",     "{\"status\":{\"a\":1}}",    "{\"status\":{\"a\":2}}",    true,  7},
        {"status counts",    "{\"status\":{\"a\":1}}",    "{\"status\":{\"a\":2}}",    false, 8},
        {"another version",  "{\"apiVersion\":\"g/v1\"}", "{\"apiVersion\":\"g/v2\"}", true,  7},
        {"any other member", "{\"data\":{}}",             "{\"data\":{\"k\":\"v\"}}",  true,  8},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) counted = NULL;
        SCOPED(buf) old_text = {.limit = 0};
        SCOPED(buf) now_text = {.limit = 0};
        int64_t generation = 0;
        TEST_CASE("%s", cases[i].name);
        buf_print(&old_text, "{\"metadata\":{\"generation\":7,\"labels\":{\"a\":\"b\"}}%s%s",
                  cases[i].old[1] == '}' ? "" : ",", cases[i].old + 1);
        buf_print(&now_text, "{\"metadata\":{\"generation\":7}%s%s",
                  cases[i].now[1] == '}' ? "" : ",", cases[i].now + 1);
        OWNED(json_doc) old = read(buf_c(&old_text));
        OWNED(json_doc) now = read(buf_c(&now_text));
        CHECK_OK(
            metadata_count_generation(now, json_doc_root(old), cases[i].status_apart, &counted));
        CHECK(json_to_int64(json_path(json_doc_root(counted), "metadata.generation"), &generation));
        CHECK_EQ(generation, cases[i].generation);
    }
}

TEST(metadata_finalizers_do_not_come_late)
{
    static const struct {
        const char *old, *now;
        size_t errors;
    } cases[] = {
        {"\"deletionTimestamp\":\"t\",\"finalizers\":[\"a/b\"]",
         "\"deletionTimestamp\":\"t\",\"finalizers\":[\"a/b\",\"c/d\"]",                             1},
        {"\"deletionTimestamp\":\"t\",\"finalizers\":[\"a/b\"]",
         "\"deletionTimestamp\":\"t\",\"finalizers\":[\"a/b\"]",                                     0},
        {"\"deletionTimestamp\":\"t\",\"finalizers\":[\"a/b\"]", "\"deletionTimestamp\":\"t\"",      0},
        {"\"finalizers\":[\"a/b\"]",                             "\"finalizers\":[\"a/b\",\"c/d\"]", 0},
        {"\"finalizers\":[\"a/b\"]",                             "\"deletionTimestamp\":\"t\"",      1},
        {"\"deletionTimestamp\":\"t\"",                          "\"labels\":{}",                    1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct field_errors errors = {.arena = &arena};
        TEST_CASE("row %zu", i);
        OWNED(json_doc) old = read(arena_print(&arena, "{\"metadata\":{%s}}", cases[i].old).ptr);
        OWNED(json_doc) now = read(arena_print(&arena, "{\"metadata\":{%s}}", cases[i].now).ptr);
        metadata_check_change(&errors, json_doc_root(now), json_doc_root(old));
        CHECK_EQ(errors.count, cases[i].errors);
    }
}

TEST(metadata_finalizers_have_a_domain)
{
    OWNED(json_doc)
    doc = read("{\"metadata\":{\"finalizers\":[\"orphan\",\"a/b\",\"plain\","
               "\"foregroundDeletion\",\"kubernetes\",\"other\"]}}");
    SCOPED(arena) arena = {0};
    struct field_errors errors = {.arena = &arena};
    metadata_check_qualified_finalizers(&errors, json_doc_root(doc));
    CHECK_EQ(errors.count, (size_t)2);
    CHECK_EQ(errors.items[0].field, STR("metadata.finalizers[2]"));
    CHECK_EQ(errors.items[1].field, STR("metadata.finalizers[5]"));
}

TEST(metadata_names_are_generated_within_limits)
{
    SCOPED(arena) arena = {0};
    struct random random;
    random_init(&random, 1);
    char long_prefix[101];
    memset(long_prefix, 'a', 100);
    long_prefix[100] = '\0';
    const struct str first = metadata_generate_name(&arena, &random, STR("web-"));
    const struct str second = metadata_generate_name(&arena, &random, STR("web-"));
    CHECK(str_starts_with(first, STR("web-")));
    CHECK_EQ(first.len, (size_t)9);
    CHECK(!str_eq(first, second));
    CHECK_EQ(metadata_generate_name(&arena, &random, str_from_c(long_prefix)).len, (size_t)63);
}

TEST(metadata_knows_what_is_going)
{
    static const struct {
        const char *text;
        bool is_deleting, has_finalizers;
    } cases[] = {
        {"{}",                                           false, false},
        {"{\"metadata\":{\"deletionTimestamp\":null}}",  false, false},
        {"{\"metadata\":{\"deletionTimestamp\":\"t\"}}", true,  false},
        {"{\"metadata\":{\"finalizers\":[]}}",           false, false},
        {"{\"metadata\":{\"finalizers\":[\"a\"]}}",      false, true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = read(cases[i].text);
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(metadata_is_deleting(json_doc_root(doc)), cases[i].is_deleting);
        CHECK_EQ(metadata_has_finalizers(json_doc_root(doc)), cases[i].has_finalizers);
    }
}
