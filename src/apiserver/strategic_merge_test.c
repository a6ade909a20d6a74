#include "apiserver/strategic_merge.h"

#include "api/rows_test.h"
#include "apiserver/strategic_fit.h"
#include "json/compare.h"

/* The rows name kinds only. */
static const struct strategic_type *type_of(const struct json_value *row)
{
    static const char *const versions[] = {"v1", "apps/v1", "rbac.authorization.k8s.io/v1",
                                           "networking.k8s.io/v1"};
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct gvk gvk;
        CHECK_OK(gvk_from_api_version(str_from_c(versions[i]), json_path_str(row, "kind"), &gvk));
        if (strategic_type_find(gvk))
            return strategic_type_find(gvk);
    }
    return NULL;
}

static void check_equal(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) seen_text = {.limit = 0};
    SCOPED(buf) expected_text = {.limit = 0};
    json_write_canonical(&seen_text, seen);
    json_write_canonical(&expected_text, expected);
    CHECK_EQ(buf_str(&seen_text), buf_str(&expected_text));
}

/* Where upstream crashes we refuse the request. */
static void check_error(const struct json_value *row, struct error *err)
{
    OWNED(error) owned = err;
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

/* "decode_error": the text of the decoder, or the strict warnings behind their introduction. */
static void check_fit(const struct json_value *row, const struct json_value *result)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    struct json_warnings warnings = {.arena = &arena};
    OWNED(error) err = strategic_fit(type_of(row), result, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        buf_print(&seen, "%s%.*s",
                  i ? ", " : "strict decoding error: ", STR_ARG(warnings.items[i]));
    CHECK_EQ(err ? str_from_c(err->message) : buf_str(&seen), json_path_str(row, "decode_error"));
}

static void check_row(const struct json_value *row)
{
    OWNED(json_doc) doc = NULL;
    struct error *err = strategic_merge_apply(type_of(row), json_get(row, STR("original")),
                                              json_get(row, STR("patch")), &doc);
    if (json_get(row, STR("error"))) {
        check_error(row, err);
        return;
    }
    CHECK_OK(err);
    check_equal(json_doc_root(doc), json_get(row, STR("result")));
    check_fit(row, json_doc_root(doc));
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
