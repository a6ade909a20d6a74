#include "apiserver/managedfields/field_set.h"

#include "json/compare.h"
#include "testing/test.h"

static struct field_set read_set(struct arena *arena, struct str text)
{
    struct json_doc *doc = NULL;
    struct field_set set;
    CHECK_OK(json_read(text, &doc));
    arena_hold(arena, (void (*)(void *))json_doc_free, doc);
    CHECK_OK(field_set_read(arena, json_doc_root(doc), &set));
    return set;
}

static void check_set(const struct field_set *set, struct str expected)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    field_set_write(&builder, set);
    CHECK_OK(json_builder_finish(&builder, &doc));
    json_write(&text, json_doc_root(doc));
    CHECK_EQ(buf_str(&text), expected);
}

TEST(field_set_is_read_and_written)
{
    static const struct {
        const char *name, *in, *out;
    } cases[] = {
        {"nothing",                 "{}",                                                         "{}"                      },
        {"a leaf",                  "{\"f:a\":{}}",                                               "{\"f:a\":{}}"            },
        {"a node that is a member", "{\"f:a\":{\".\":{},\"f:b\":{}}}",
         "{\"f:a\":{\".\":{},\"f:b\":{}}}"                                                                                  },
        {"a dot alone is a leaf",   "{\"f:a\":{\".\":{}}}",                                       "{\"f:a\":{}}"            },
        {"is sorted",               "{\"f:b\":{},\"f:a\":{}}",                                    "{\"f:a\":{},\"f:b\":{}}" },
        {"unknown kinds go",        "{\"x:b\":{},\"f:a\":{}}",                                    "{\"f:a\":{}}"            },
        {"names hold anything",     "{\"f:a:b/c\":{}}",                                           "{\"f:a:b/c\":{}}"        },
        {"keys are normalised",     "{\"k:{ \\\"b\\\": 1.0,\\\"a\\\":2}\":{}}",
         "{\"k:{\\\"a\\\":2,\\\"b\\\":1}\":{}}"                                                                             },
        {"equal keys become one",   "{\"k:{\\\"a\\\":1}\":{},\"k:{\\\"a\\\": 1}\":{\"f:x\":{}}}",
         "{\"k:{\\\"a\\\":1}\":{\".\":{},\"f:x\":{}}}"                                                                      },
        {"numbers by value",        "{\"v:10\":{},\"v:9\":{}}",                                   "{\"v:9\":{},\"v:10\":{}}"},
        {"strings by bytes",        "{\"v:\\\"9\\\"\":{},\"v:\\\"10\\\"\":{}}",
         "{\"v:\\\"10\\\"\":{},\"v:\\\"9\\\"\":{}}"                                                                         },
        {"members, keys, values",   "{\"i:0\":{},\"v:1\":{},\"k:{}\":{},\"f:z\":{}}",
         "{\"f:z\":{},\"k:{}\":{},\"v:1\":{},\"i:0\":{}}"                                                                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        const struct field_set set = read_set(&arena, str_from_c(cases[i].in));
        check_set(&set, str_from_c(cases[i].out));
    }
}

TEST(field_set_refuses_what_is_no_set)
{
    static const char *const texts[] = {
        "[]",           "{\"a\":{}}",   "{\"f\":{}}",   "{\"f:a\":1}",
        "{\"k:1\":{}}", "{\"k:{\":{}}", "{\"i:x\":{}}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        SCOPED(arena) arena = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        struct field_set set;
        TEST_CASE("%s", texts[i]);
        CHECK_OK(json_read(str_from_c(texts[i]), &doc));
        CHECK_ERROR(field_set_read(&arena, json_doc_root(doc), &set), ERROR_INVALID);
    }
}

TEST(field_set_algebra)
{
    static const struct {
        const char *a, *b, *both, *without, *without_below, *common;
    } cases[] = {
        {"{}",                                 "{}",                                 "{}",                              "{}",                      "{}",           "{}"          },
        {"{\"f:a\":{}}",                       "{}",                                 "{\"f:a\":{}}",                    "{\"f:a\":{}}",            "{\"f:a\":{}}", "{}"          },
        {"{\"f:a\":{}}",                       "{\"f:a\":{}}",                       "{\"f:a\":{}}",                    "{}",                      "{}",           "{\"f:a\":{}}"},
        {"{\"f:a\":{\"f:b\":{}}}",             "{\"f:a\":{}}",                       "{\"f:a\":{\".\":{},\"f:b\":{}}}",
         "{\"f:a\":{\"f:b\":{}}}",                                                                                                                 "{}",           "{}"          },
        {"{\"f:a\":{\".\":{},\"f:b\":{}}}",    "{\"f:a\":{\"f:b\":{}}}",
         "{\"f:a\":{\".\":{},\"f:b\":{}}}",                                                                             "{\"f:a\":{}}",            "{\"f:a\":{}}",
         "{\"f:a\":{\"f:b\":{}}}"                                                                                                                                                },
        {"{\"f:a\":{},\"f:c\":{},\"f:e\":{}}", "{\"f:b\":{},\"f:c\":{},\"f:d\":{}}",
         "{\"f:a\":{},\"f:b\":{},\"f:c\":{},\"f:d\":{},\"f:e\":{}}",                                                    "{\"f:a\":{},\"f:e\":{}}",
         "{\"f:a\":{},\"f:e\":{}}",                                                                                                                                "{\"f:c\":{}}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        TEST_CASE("row %zu", i);
        const struct field_set a = read_set(&arena, str_from_c(cases[i].a));
        const struct field_set b = read_set(&arena, str_from_c(cases[i].b));
        const struct field_set both = field_set_union(&arena, a, b);
        const struct field_set without = field_set_without(&arena, a, b);
        const struct field_set below = field_set_without_below(&arena, a, b);
        const struct field_set common = field_set_common(&arena, a, b);
        check_set(&both, str_from_c(cases[i].both));
        check_set(&without, str_from_c(cases[i].without));
        check_set(&below, str_from_c(cases[i].without_below));
        check_set(&common, str_from_c(cases[i].common));
        const struct field_set again = field_set_union(&arena, without, common);
        check_set(&again, str_from_c(cases[i].a));
    }
}

static void add_line(void *data, struct str path)
{
    buf_add(data, path);
    buf_add_char(data, ' ');
}

TEST(field_set_paths_as_messages_write_them)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    const struct field_set set = read_set(
        &arena,
        STR("{\"f:s\":{\".\":{},\"k:{\\\"port\\\":80,\\\"proto\\\":\\\"TCP\\\"}\":{\"f:n\":{}},"
            "\"v:\\\"a\\\"\":{},\"v:1\":{},\"i:3\":{}},\"f:t\":{}}"));
    field_set_visit(&set, add_line, &seen);
    CHECK_EQ(buf_str(&seen), STR(".s .t .s[=\"a\"] .s[=1] .s[3] .s[port=80,proto=\"TCP\"].n "));
}

TEST(field_set_of_paths_is_their_union)
{
    static const char *const paths[] = {"status", "metadata.labels", "metadata"};
    SCOPED(arena) arena = {.limit = 0};
    const struct field_set set = field_set_of_paths(&arena, paths, COUNT(paths));
    check_set(&set, STR("{\"f:metadata\":{\".\":{},\"f:labels\":{}},\"f:status\":{}}"));
}

TEST(field_set_is_cut_where_it_is_too_deep)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < (size_t)2 * FIELD_DEPTH_MAX; i++)
        buf_add(&text, STR("{\"f:a\":"));
    buf_add(&text, STR("{}"));
    for (size_t i = 0; i < (size_t)2 * FIELD_DEPTH_MAX; i++)
        buf_add_char(&text, '}');
    const struct field_set set = read_set(&arena, buf_str(&text));
    size_t depth = 0;
    for (const struct field_set *node = &set; node->count; node = node->children)
        depth++;
    CHECK_EQ(depth, FIELD_DEPTH_MAX);
}
