#include "apimachinery/field_selector.h"

#include "testing/test.h"

static const struct field_label labels[] = {
    {STR_INIT("metadata.name"), "metadata.name"   },
    {STR_INIT("status.phase"),  "status.phase"    },
    {STR_INIT("source"),        "source.component"},
    {STR_INIT("spec.size"),     "spec.size"       },
    {STR_INIT("spec.on"),       "spec.on"         },
};

TEST(field_selector_matches_fields)
{
    const struct {
        const char *text;
        bool match;
    } cases[] = {
        {"",                                   true },
        {"metadata.name=a",                    true },
        {"metadata.name==a",                   true },
        {"metadata.name=b",                    false},
        {"metadata.name!=b",                   true },
        {"metadata.name!=a",                   false},
        {"metadata.name=a,status.phase=Ready", false},
        {"metadata.name=a,,status.phase=",     true },
        {"status.phase!=x",                    true },
        {"source=kubelet",                     true },
        {"spec.size=5,spec.on=true",           true },
        {"unknown=",                           true },
    };
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR("{\"metadata\":{\"name\":\"a\"},\"source\":{\"component\":\"kubelet\"},"
                           "\"spec\":{\"size\":5,\"on\":true}}"),
                       &doc));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct field_selector selector;
        TEST_CASE("%s", cases[i].text);
        CHECK_OK(field_selector_read(&arena, str_from_c(cases[i].text), &selector));
        CHECK_EQ(field_selector_matches(&selector, labels, COUNT(labels), json_doc_root(doc)),
                 cases[i].match);
    }
}

TEST(field_selector_canonical_text)
{
    const struct {
        const char *in, *out;
    } cases[] = {
        {"",                ""               },
        {",,",              ""               },
        {"b==1,a=2",        "a=2,b=1"        },
        {"a=1,a!=1",        "a!=1,a=1"       },
        {"a=x\\,y\\=\\\\z", "a=x\\,y\\=\\\\z"},
        {" a = b ",         " a = b "        },
        {"=v",              "=v"             },
    };
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct field_selector selector, again;
        SCOPED(buf) text = {.limit = 0};
        SCOPED(buf) second = {.limit = 0};
        TEST_CASE("%s", cases[i].in);
        CHECK_OK(field_selector_read(&arena, str_from_c(cases[i].in), &selector));
        field_selector_write(&text, &selector);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].out));
        CHECK_OK(field_selector_read(&arena, buf_str(&text), &again));
        field_selector_write(&second, &again);
        CHECK_EQ(buf_str(&second), buf_str(&text));
    }
}

TEST(field_selector_errors)
{
    const struct {
        const char *text, *message;
    } cases[] = {
        {"a",     "invalid selector: 'a'; can't understand 'a'"             },
        {"a=1,b", "invalid selector: 'a=1,b'; can't understand 'b'"         },
        {"a=b=c", "invalid field selector: unescaped character in value: 61"},
        {"a=\\x", "invalid field selector: invalid escape sequence: \\x"    },
        {"a=\\",  "invalid field selector: invalid escape sequence: \\"     },
    };
    SCOPED(arena) arena = {.limit = 0};
    struct field_selector selector;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        OWNED(error) err = field_selector_read(&arena, str_from_c(cases[i].text), &selector);
        CHECK(error_is(err, ERROR_BAD_REQUEST));
        CHECK_EQ((const char *)err->message, cases[i].message);
    }
    CHECK_OK(field_selector_read(&arena, STR("metadata.name=a,spec.x=y"), &selector));
    CHECK_FAILS(field_selector_check(&selector, labels, COUNT(labels)), ERROR_BAD_REQUEST,
                "field label not supported: spec.x");
}

TEST(field_selector_finds_exact_values)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_selector selector;
    struct str value;
    CHECK_OK(field_selector_read(&arena, STR("metadata.name=a,status.phase!=b"), &selector));
    CHECK(field_selector_find_exact(&selector, STR("metadata.name"), &value));
    CHECK_EQ(value, STR("a"));
    CHECK(!field_selector_find_exact(&selector, STR("status.phase"), &value));
    CHECK_EQ(selector.count, (size_t)2);
}
