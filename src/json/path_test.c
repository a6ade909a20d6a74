#include "json/path.h"

#include "json/json_pointer_test.h"
#include "testing/test.h"

/* The document of RFC 6901, section 5, and a bit of Kubernetes. */
#define DOCUMENT                                                                              \
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5," \
    "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"~1\":9,\"n\":null,\"no\":false,"                        \
    "\"metadata\":{\"labels\":{\"a.b/c\":\"d\"}}}"

static void check_value(const struct json_value *value, const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    json_write(&text, value);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(json_pointer)
{
    const struct {
        const char *pointer, *value; /* an empty value is absent */
    } cases[] = {
        {"/foo",                      "[\"bar\",\"baz\"]"},
        {"/foo/0",                    "\"bar\""          },
        {"/foo/00",                   ""                 },
        {"/foo/2",                    ""                 },
        {"/foo/-",                    ""                 },
        {"/foo/-1",                   ""                 },
        {"/foo/99999999999999999999", ""                 },
        {"/foo/0/x",                  ""                 },
        {"/",                         "0"                },
        {"//",                        ""                 },
        {"/a~1b",                     "1"                },
        {"/c%d",                      "2"                },
        {"/e^f",                      "3"                },
        {"/g|h",                      "4"                },
        {"/i\\j",                     "5"                },
        {"/k\"l",                     "6"                },
        {"/ ",                        "7"                },
        {"/m~0n",                     "8"                },
        {"/~01",                      "9"                },
        {"foo",                       ""                 },
        {"/n",                        "null"             },
        {"/n/x",                      ""                 },
        {"/metadata/labels/a.b~1c",   "\"d\""            },
    };
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR(DOCUMENT), &doc));
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].pointer);
        check_value(json_pointer(json_doc_root(doc), str_from_c(cases[i].pointer)), cases[i].value);
    }
    CHECK(json_pointer(json_doc_root(doc), STR("")) == json_doc_root(doc));
    CHECK(!json_pointer(NULL, STR("/a")));
}

TEST(json_path)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR(DOCUMENT), &doc));
    const struct json_value *root = json_doc_root(doc);
    check_value(json_path(root, "metadata.labels"), "{\"a.b/c\":\"d\"}");
    check_value(json_path(root, "foo.1"), "\"baz\"");
    CHECK(json_path(root, "") == root);
    CHECK_EQ((int)json_type(json_path(root, "n")), JSON_NULL);
    CHECK_EQ((int)json_type(json_path(root, "no")), JSON_BOOL);
    CHECK_EQ((int)json_type(json_path(root, "metadata.absent.name")), JSON_ABSENT);
    CHECK_EQ(json_path_str(root, "foo.0"), STR("bar"));
    CHECK(str_is_empty(json_path_str(root, "no")));
    CHECK(!json_path(NULL, "a"));
}

/* What was escaped is found again. */
TEST(json_pointer_add)
{
    const struct str names[] = {STR("a/b"), STR("~1"), STR("m~n"), STR(""), STR("c%d")};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR(DOCUMENT), &doc));
    for (size_t i = 0; i < COUNT(names); i++) {
        TEST_CASE("%.*s", STR_ARG(names[i]));
        SCOPED(buf) pointer = {.limit = 0};
        json_pointer_add(&pointer, names[i]);
        CHECK(json_pointer(json_doc_root(doc), buf_str(&pointer)) ==
              json_get(json_doc_root(doc), names[i]));
    }
}
