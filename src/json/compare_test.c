#include "json/compare.h"

#include "testing/test.h"

TEST(json_equal)
{
    const struct {
        const char *name, *a, *b;
        bool equal, exact;
    } cases[] = {
        {"order of members",   "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true,  true },
        {"order of elements",  "[1,2]",             "[2,1]",             false, false},
        {"deep inside",        "[{\"a\":[{},[]]}]", "[{\"a\":[{},[]]}]", true,  true },
        {"deep difference",    "[{\"a\":[{},[]]}]", "[{\"a\":[{},{}]}]", false, false},
        {"null is not absent", "{\"a\":null}",      "{}",                false, false},
        {"other members",      "{\"a\":null}",      "{\"b\":null}",      false, false},
        {"booleans",           "true",              "false",             false, false},
        {"empty containers",   "[]",                "{}",                false, false},
        {"value or token",     "[1,100]",           "[1.0,1e2]",         true,  false},
        {"number and string",  "1",                 "\"1\"",             false, false},
        {"escapes",            "\"\\u0061\"",       "\"a\"",             true,  true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(json_doc) a = NULL;
        OWNED(json_doc) b = NULL;
        CHECK_OK(json_read(str_from_c(cases[i].a), &a));
        CHECK_OK(json_read(str_from_c(cases[i].b), &b));
        CHECK_EQ(json_equal(json_doc_root(a), json_doc_root(b)), cases[i].equal);
        CHECK_EQ(json_equal(json_doc_root(b), json_doc_root(a)), cases[i].equal);
        CHECK_EQ(json_equal_exact(json_doc_root(a), json_doc_root(b)), cases[i].exact);
        CHECK(json_equal_exact(json_doc_root(a), json_doc_root(a)));
    }
    CHECK(json_equal(NULL, NULL));
}

TEST(json_write_canonical)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(json_read(STR("{\"b\":[{\"z\":1.0,\"y\":{}},[]],\"a\":null,\"\xc3\xa9\":2,\"B\":3}"),
                       &doc));
    json_write_canonical(&text, json_doc_root(doc));
    CHECK_EQ(buf_str(&text),
             STR("{\"B\":3,\"a\":null,\"b\":[{\"y\":{},\"z\":1},[]],\"\xc3\xa9\":2}"));
    buf_clear(&text);
    json_write_canonical_exact(&text, json_doc_root(doc));
    CHECK_CONTAINS(buf_str(&text), STR("\"z\":1.0"));
}

/* Opposite orders are the worst case of a search by name; an index keeps it from that. */
TEST(json_equal_of_many_members)
{
    SCOPED(buf) up = {.limit = 0};
    SCOPED(buf) down = {.limit = 0};
    for (int i = 0; i < 100000; i++) {
        buf_print(&up, "%c\"%d\":%d", i ? ',' : '{', i, i);
        buf_print(&down, "%c\"%d\":%d", i ? ',' : '{', 99999 - i, 99999 - i);
    }
    buf_add_char(&up, '}');
    buf_add_char(&down, '}');
    OWNED(json_doc) a = NULL;
    OWNED(json_doc) b = NULL;
    CHECK_OK(json_read(buf_str(&up), &a));
    CHECK_OK(json_read(buf_str(&down), &b));
    CHECK(json_equal_exact(json_doc_root(a), json_doc_root(b)));
}
