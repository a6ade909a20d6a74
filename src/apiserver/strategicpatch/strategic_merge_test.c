#include "apiserver/strategicpatch/strategic_merge.h"

#include "apiserver/types/go_type_row_test.h"
#include "json/compare.h"

static void check_equal(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) seen_text = {.limit = 0};
    SCOPED(buf) expected_text = {.limit = 0};
    json_write_canonical(&seen_text, seen);
    json_write_canonical(&expected_text, expected);
    CHECK_EQ(buf_str(&seen_text), buf_str(&expected_text));
}

/* Where upstream crashes we refuse the request. */
static void check_error(const struct json_value *row, struct error *seen)
{
    OWNED(error) err = seen;
    int64_t code = 0;
    CHECK(err);
    if (str_eq(json_path_str(row, "error"), STR("panic"))) {
        CHECK_EQ((int)err->code, (int)ERROR_BAD_REQUEST);
        return;
    }
    CHECK_EQ(str_from_c(err->message), json_path_str(row, "error"));
    CHECK(json_to_int64(json_get(row, STR("code")), &code));
    CHECK_EQ((int64_t)error_code_http_status(err->code), code);
}

static void check_row(const struct json_value *row)
{
    OWNED(json_doc) doc = NULL;
    struct error *err = strategic_merge_apply(go_type_of_row(row), json_get(row, STR("original")),
                                              json_get(row, STR("patch")), &doc);
    if (json_get(row, STR("error"))) {
        check_error(row, err);
        return;
    }
    CHECK_OK(err);
    check_equal(json_doc_root(doc), json_get(row, STR("result")));
}

TEST(strategic_merge_of_oracle)
{
    size_t rows = 0;
    ROWS_FOREACH(row, "oracle/strategicpatch.jsonl")
    {
        check_row(row);
        rows++;
    }
    CHECK_EQ(rows, (size_t)162);
}

static struct error *apply_text(struct gvk gvk, struct str original, struct str patch,
                                struct buf *ret_text)
{
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) change = NULL;
    OWNED(json_doc) doc = NULL;
    TRY(json_read(original, &old));
    TRY(json_read(patch, &change));
    TRY(strategic_merge_apply(go_type_find(gvk), json_doc_root(old), json_doc_root(change), &doc));
    json_write(ret_text, json_doc_root(doc));
    return NULL;
}

/* What the recorded rows leave open. */
TEST(strategic_merge_apply)
{
    const struct {
        const char *name, *original, *patch, *result;
    } cases[] = {
        {"equal keys are merged one after the other",
         "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}",
         "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":{\"cpu\":\"2\"}}},"
         "{\"name\":\"a\",\"resources\":{\"limits\":{\"cpu\":\"3\"}}}]}}",                                                                          "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":{\"cpu\":\"3\"}}}]}}"},
        {"a directive without an original leaves nothing",            "{}",
         "{\"spec\":{\"$patch\":\"delete\"}}",                                                                                                      "{}"                                                                                       },
        {"nulls of new objects vanish",                               "{}",                           "{\"spec\":{\"a\":null,\"b\":{\"c\":null}}}",
         "{\"spec\":{\"b\":{}}}"                                                                                                                                                                                                               },
        {"numbers keep their digits",                                 "{\"spec\":{\"x\":1}}",         "{\"spec\":{\"y\":9007199254740993}}",
         "{\"spec\":{\"x\":1,\"y\":9007199254740993}}"                                                                                                                                                                                         },
        {"a new element in the place of a deleted one counts as old",
         "{\"spec\":{\"containers\":[{\"name\":\"e\"},{\"name\":\"d\"}]}}",                           "{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"b\"}],\"containers\":"
         "[{\"name\":\"d\",\"$patch\":\"delete\"},{\"name\":\"b\"}]}}",  "{\"spec\":{\"containers\":[{\"name\":\"e\"},{\"name\":\"b\"}]}}"                          },
        {"an order for lists that are not there",                     "{}",
         "{\"metadata\":{\"$setElementOrder/finalizers\":[\"a\"]}}",                                                                                "{\"metadata\":{\"$setElementOrder/finalizers\":[\"a\"]}}"                                 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(buf) seen = {.limit = 0};
        CHECK_OK(apply_text(GVK("", "v1", "Pod"), str_from_c(cases[i].original),
                            str_from_c(cases[i].patch), &seen));
        CHECK_EQ(buf_str(&seen), str_from_c(cases[i].result));
    }
}

TEST(strategic_merge_refuses)
{
    const struct {
        const char *name, *original, *patch;
        enum error_code code;
        const char *part;
    } cases[] = {
        {"no object",                      "{}",                                             "[]",                        ERROR_BAD_REQUEST, "invalid JSON document"},
        {"an object in labels",            "{\"metadata\":{\"labels\":{\"a\":{\"b\":{}}}}}",
         "{\"metadata\":{\"labels\":{\"a\":{\"b\":{}}}}}",                                                                ERROR_INTERNAL,
         "merging an object in json but data type is not struct, instead is: map"                                                                                   },
        {"a list of lists",                "{\"metadata\":{\"finalizers\":[[]]}}",
         "{\"metadata\":{\"finalizers\":[\"a\"]}}",                                                                       ERROR_INVALID,     "lists of lists"       },
        {"null in a list",                 "{\"metadata\":{\"finalizers\":[null]}}",
         "{\"metadata\":{\"finalizers\":[\"a\"]}}",                                                                       ERROR_BAD_REQUEST, "null in a list"       },
        {"an object as a key",             "{\"spec\":{\"containers\":[{\"name\":\"a\"}]}}",
         "{\"spec\":{\"containers\":[{\"name\":{}}]}}",                                                                   ERROR_BAD_REQUEST, "merge key name"       },
        {"an order without a list's name", "{}",                                             "{\"$setElementOrder\":[]}", ERROR_BAD_REQUEST,
         "invalid patch format of setElementOrder list"                                                                                                             },
        {"a number as a directive",        "{}",                                             "{\"$patch\":1}",            ERROR_INTERNAL,
         "unknown patch type: %!s(int64=1) in map: map[$patch:1]"                                                                                                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(buf) seen = {.limit = 0};
        CHECK_FAILS(apply_text(GVK("", "v1", "Pod"), str_from_c(cases[i].original),
                               str_from_c(cases[i].patch), &seen),
                    cases[i].code, cases[i].part);
    }
}

/* Deeper than any stack of a fiber would bear. */
TEST(strategic_merge_of_deep_documents)
{
    enum { DEPTH = 9000 };
    SCOPED(buf) deep = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    for (size_t i = 0; i < DEPTH; i++)
        buf_add(&deep, STR("{\"x\":"));
    buf_add(&deep, STR("[[{\"y\":1}]]"));
    for (size_t i = 0; i < DEPTH; i++)
        buf_add_char(&deep, '}');
    CHECK_OK(apply_text(GVK("", "v1", "ConfigMap"), STR("{}"), buf_str(&deep), &seen));
    CHECK_EQ(buf_str(&seen), buf_str(&deep));
    buf_clear(&seen);
    CHECK_OK(apply_text(GVK("", "v1", "ConfigMap"), buf_str(&deep), STR("{}"), &seen));
    CHECK_EQ(buf_str(&seen), buf_str(&deep));
}

/* Comparing all with all is bounded. */
TEST(strategic_merge_of_long_lists)
{
    SCOPED(buf) first = {.limit = 0};
    SCOPED(buf) second = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    buf_add(&first, STR("{\"metadata\":{\"finalizers\":[\"x\""));
    buf_add(&second, STR("{\"metadata\":{\"finalizers\":[\"x\""));
    for (int i = 0; i < 40000; i++) {
        buf_print(&first, ",\"a%d\"", i);
        buf_print(&second, ",\"b%d\"", i);
    }
    buf_add(&first, STR("]}}"));
    buf_add(&second, STR("]}}"));
    CHECK_ERROR(apply_text(GVK("", "v1", "Pod"), buf_str(&first), buf_str(&second), &seen),
                ERROR_TOO_LARGE);
}
