#include "json/json.h"

#include "json/json_internal.h"
#include "testing/test.h"

static struct json_doc *read_ok(struct str text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(text, &doc));
    return doc;
}

static void check_written(const struct json_value *value, unsigned flags, const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    json_write_with(&text, value, flags);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

static void check_round(const char *name, const char *text, const char *written)
{
    TEST_CASE("%s", name);
    OWNED(json_doc) doc = read_ok(str_from_c(text));
    check_written(json_doc_root(doc), 0, written);
}

TEST(json_read_and_write)
{
    check_round("null", "null", "null");
    check_round("space is dropped", " \t\r\n[ 1 , 2 ] \n", "[1,2]");
    check_round("order of members stays", "{\"b\":1,\"a\":{\"c\":[]}}",
                "{\"b\":1,\"a\":{\"c\":[]}}");
    check_round("empty containers", "[{},[],\"\"]", "[{},[],\"\"]");
    check_round("HTML is not escaped", "\"<>&\"", "\"<>&\"");
}

TEST(json_read_keeps_the_last_of_a_name)
{
    check_round("of two members", "{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}");
    check_round("at any depth", "[{\"a\":{\"b\":1,\"b\":{}}}]", "[{\"a\":{\"b\":{}}}]");
    check_round("of three", "{\"a\":1,\"a\":2,\"a\":3}", "{\"a\":3}");
    check_round("names are compared unescaped", "{\"a\":1,\"\\u0061\":2}", "{\"a\":2}");
    check_round("empty names", "{\"\":1,\"\":2}", "{\"\":2}");
}

TEST(json_escapes)
{
    check_round("are resolved", "\"\\u0041\\/\\u00e9\"", "\"A/\xc3\xa9\"");
    check_round("control characters", "\"\\u0001\\b\\f\\n\\r\\t\"", "\"\\u0001\\b\\f\\n\\r\\t\"");
    check_round("delete stands for itself", "\"\x7f\"", "\"\x7f\"");
    check_round("NUL stays inside", "\"a\\u0000b\"", "\"a\\u0000b\"");
    check_round("line separators", "\"\\u2028\\u2029\\u2027\"", "\"\\u2028\\u2029\xe2\x80\xa7\"");
    check_round("an escaped backslash is none", "\"\\\\ud800\"", "\"\\\\ud800\"");
}

TEST(json_read_repairs_unicode)
{
    check_round("a lone surrogate", "\"\\ud800\"", "\"\xef\xbf\xbd\"");
    check_round("one behind a pair", "\"\\ud83d\\ude00\\ude00\"",
                "\"\xf0\x9f\x98\x80\xef\xbf\xbd\"");
    check_round("one before an escape", "\"\\ud800\\n\"", "\"\xef\xbf\xbd\\n\"");
    check_round("invalid UTF-8", "\"a\xff\xc3z\"", "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
}

TEST(json_write_flags)
{
    OWNED(json_doc) doc = read_ok(STR("{\"a\":[1.0,{\"b\":\"<&>\"}],\"c\":{}}"));
    const struct json_value *root = json_doc_root(doc);
    check_written(root, 0, "{\"a\":[1,{\"b\":\"<&>\"}],\"c\":{}}");
    check_written(root, JSON_WRITE_NUMBERS_AS_READ, "{\"a\":[1.0,{\"b\":\"<&>\"}],\"c\":{}}");
    check_written(root, JSON_WRITE_ESCAPE_HTML,
                  "{\"a\":[1,{\"b\":\"\\u003c\\u0026\\u003e\"}],\"c\":{}}");
    check_written(
        root, JSON_WRITE_PRETTY,
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"<&>\"\n    }\n  ],\n  \"c\": {}\n}");

    SCOPED(arena) arena = {.limit = 0};
    CHECK_EQ(json_write_arena(&arena, json_get(root, STR("c"))), STR("{}"));

    SCOPED(buf) small = {.limit = 8};
    json_write(&small, root);
    CHECK_ERROR(buf_check(&small), ERROR_TOO_LARGE);
}

TEST(json_presence)
{
    OWNED(json_doc) doc = read_ok(STR("{\"null\":null,\"no\":false,\"\":\"x\",\"n\":5}"));
    const struct json_value *root = json_doc_root(doc);
    CHECK_EQ((int)json_type(json_get(root, STR("null"))), JSON_NULL);
    CHECK_EQ((int)json_type(json_get(root, STR("no"))), JSON_BOOL);
    CHECK_EQ((int)json_type(json_get(root, STR("absent"))), JSON_ABSENT);
    CHECK_EQ(json_to_str(json_get(root, (struct str){NULL, 0})), STR("x"));

    bool truth = true;
    CHECK(json_to_bool(json_get(root, STR("no")), &truth));
    CHECK(!truth);
    CHECK(!json_to_bool(json_get(root, STR("null")), &truth));
    CHECK(!json_to_bool(NULL, &truth));
    CHECK(str_is_empty(json_to_str(NULL)));
    CHECK_EQ(json_count(NULL), (size_t)0);
    CHECK(!json_get(NULL, STR("a")));
    CHECK(!json_at(root, 0));
    CHECK(!json_doc_root(NULL));
    CHECK_EQ(json_type_name(JSON_OBJECT), "an object");
}

TEST(json_walk)
{
    OWNED(json_doc) doc = read_ok(STR("{\"a\":[1,[2],3],\"b\":{\"c\":4}}"));
    const struct json_value *root = json_doc_root(doc), *value;
    SCOPED(buf) seen = {.limit = 0};
    JSON_FOREACH (key, value, root)
        buf_print(&seen, "%.*s=%zu ", STR_ARG(key), json_count(value));
    JSON_FOREACH (key, value, json_get(root, STR("a"))) {
        buf_print(&seen, "%zu%s ", json_count(value), key.len ? "!" : "");
        if (json_count(value))
            break;
    }
    JSON_FOREACH (key, value, NULL)
        buf_add_char(&seen, key.len ? '!' : '?');
    CHECK_EQ(buf_str(&seen), STR("a=3 b=1 0 1 "));

    int64_t number = 0;
    CHECK(json_to_int64(json_at(json_get(root, STR("a")), 2), &number));
    CHECK_EQ(number, (int64_t)3);
    CHECK(!json_at(json_get(root, STR("a")), 3));
}

TEST(json_to_int64)
{
    const struct {
        const char *text;
        bool fits;
        int64_t value;
    } cases[] = {
        {"0",                     true,  0                  },
        {"-0",                    true,  0                  },
        {"9223372036854775807",   true,  INT64_MAX          },
        {"-9223372036854775808",  true,  INT64_MIN          },
        {"9223372036854775808",   false, 0                  },
        {"-9223372036854775809",  false, 0                  },
        {"18446744073709551616",  false, 0                  },
        {"1.0",                   true,  1                  },
        {"1e3",                   true,  1000               },
        {"1.5",                   false, 0                  },
        {"1e300",                 false, 0                  },
        {"1234567890123456789.0", true,  1234567890123456768},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        OWNED(json_doc) doc = read_ok(str_from_c(cases[i].text));
        int64_t value = 0;
        CHECK_EQ(json_to_int64(json_doc_root(doc), &value), cases[i].fits);
        CHECK_EQ(value, cases[i].value);
    }
}

static void check_refused(const char *text, const char *message)
{
    TEST_CASE("%s", text);
    struct json_doc *doc = NULL;
    CHECK_FAILS(json_read(str_from_c(text), &doc), ERROR_PARSE, message);
    CHECK(!doc);
}

TEST(json_read_refuses)
{
    check_refused("", "line 1, column 1: unexpected end of JSON input");
    check_refused("{\"a\":\n  }",
                  "line 2, column 3: invalid character '}' looking for beginning of value");
    check_refused("[\"\xc3\xa9\",x]",
                  "line 1, column 6: invalid character 'x' looking for beginning of value");
    check_refused("[1e400]", "line 1, column 2: json: cannot unmarshal number 1e400 into Go value "
                             "of type float64");
    check_refused("\xef\xbb\xbf{}",
                  "line 1, column 1: invalid character '\xc3\xaf' looking for beginning of value");
    check_refused("\"\xff\\x\"", "line 1, column 4: invalid character 'x' in string escape code");

    struct json_doc *doc = NULL;
    CHECK_ERROR(json_read(str_from("", JSON_TEXT_MAX + 1), &doc), ERROR_TOO_LARGE);
}

static void add_nested(struct buf *text, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        buf_add(text, i % 2 ? STR("{\"a\":") : STR("["));
    buf_add_char(text, '1');
    for (size_t i = depth; i > 0; i--)
        buf_add_char(text, i % 2 ? ']' : '}');
}

TEST(json_depth_is_limited)
{
    SCOPED(buf) deep = {.limit = 0};
    SCOPED(buf) deeper = {.limit = 0};
    SCOPED(buf) written = {.limit = 0};
    add_nested(&deep, JSON_DEPTH_MAX);
    add_nested(&deeper, JSON_DEPTH_MAX + 1);

    OWNED(json_doc) doc = read_ok(buf_str(&deep));
    json_write(&written, json_doc_root(doc));
    CHECK(str_eq(buf_str(&written), buf_str(&deep)));

    struct json_doc *none = NULL;
    CHECK_FAILS(json_read(buf_str(&deeper), &none), ERROR_PARSE, "exceeded max depth");
}

TEST(json_doc_is_shared)
{
    struct json_doc *doc = read_ok(STR("[1,{\"a\":\"b\"}]"));
    struct json_doc *same = json_doc_ref(doc);
    OWNED(json_doc) part = json_doc_copy(json_at(json_doc_root(doc), 1));
    json_doc_free(doc);
    check_written(json_doc_root(same), 0, "[1,{\"a\":\"b\"}]");
    json_doc_free(same);
    check_written(json_doc_root(part), 0, "{\"a\":\"b\"}");
}

TEST(json_read_strict)
{
    const struct {
        const char *text, *warnings;
    } cases[] = {
        {"{\"a\":1}",                                           ""                               },
        {"{\"a\":1,\"a\":2}",                                   "duplicate field \"a\";"         },
        {"{\"a\":1,\"a\":2,\"a\":3}",                           "duplicate field \"a\";"         },
        {"{\"b\":{\"x\":1,\"x\":null}}",                        "duplicate field \"b.x\";"       },
        {"[1,{\"a\":[0,{\"c\":1,\"c\":1}]}]",                   "duplicate field \"[1].a[1].c\";"},
        {"{\"a\":{\"x\":1,\"x\":2},\"a\":{\"x\":1,\"x\":2}}",
         "duplicate field \"a.x\";duplicate field \"a\";"                                        },
        {"{\"a\":{\"x\":1},\"b\":1,\"a\":[{\"y\":1,\"y\":2}]}",
         "duplicate field \"a\";duplicate field \"a[0].y\";"                                     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) seen = {.limit = 0};
        struct json_warnings warnings = {.arena = &arena};
        OWNED(json_doc) doc = NULL;
        CHECK_OK(json_read_strict(str_from_c(cases[i].text), &warnings, &doc));
        for (size_t k = 0; k < warnings.count; k++)
            buf_print(&seen, "%.*s;", STR_ARG(warnings.items[k]));
        CHECK_EQ(buf_str(&seen), str_from_c(cases[i].warnings));
    }
}

/* More members than are compared key by key, so the sorted way is taken. */
TEST(json_many_members_repeat)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add_char(&text, '{');
    for (int i = 0; i < 5000; i++)
        buf_print(&text, "%s\"k%d\":%d", i ? "," : "", i % 2500, i);
    buf_add_char(&text, '}');

    SCOPED(arena) arena = {.limit = 0};
    struct json_warnings warnings = {.arena = &arena};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read_strict(buf_str(&text), &warnings, &doc));
    CHECK_EQ(warnings.count, (size_t)JSON_WARNINGS_MAX);
    CHECK_EQ(warnings.items[0], STR("duplicate field \"k0\""));
    CHECK_EQ(json_count(json_doc_root(doc)), (size_t)2500);
    int64_t last = 0;
    CHECK(json_to_int64(json_get(json_doc_root(doc), STR("k7")), &last));
    CHECK_EQ(last, (int64_t)2507);
}

/* Takes minutes when the path of every repetition is looked for. */
TEST(json_one_name_repeats_often)
{
    SCOPED(buf) text = {.limit = 0};
    for (int i = 0; i < 200000; i++)
        buf_print(&text, "%c\"a\":%d", i ? ',' : '{', i);
    buf_add_char(&text, '}');
    SCOPED(arena) arena = {.limit = 0};
    struct json_warnings warnings = {.arena = &arena};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read_strict(buf_str(&text), &warnings, &doc));
    CHECK_EQ(warnings.count, (size_t)1);
    check_written(json_doc_root(doc), 0, "{\"a\":199999}");
}

TEST(json_size_counts_values_and_text)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR("{\"abc\": [12, true, null], \"d\": \"efgh\"}"), &doc));
    CHECK_EQ(json_size(json_doc_root(doc)), 8 * 16 + 3 + 2 + 1 + 4);
    CHECK_EQ(json_size(json_get(json_doc_root(doc), STR("d"))), 16 + 4);
    CHECK_EQ(json_size(NULL), 0);
}
