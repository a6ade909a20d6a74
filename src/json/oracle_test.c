#include "json/oracle_test.h"

#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

struct json_doc *oracle_next(struct str *text)
{
    struct str line;
    struct json_doc *row = NULL;
    if (text->len == 0)
        return NULL;
    str_cut(text, '\n', &line);
    CHECK_OK(json_read(line, &row));
    const struct str id = json_path_str(json_doc_root(row), "id");
    TEST_CASE("%.*s", STR_ARG(id));
    return row;
}

void oracle_step(struct str *text, struct json_doc **row)
{
    json_doc_free(*row);
    *row = oracle_next(text);
}

void oracle_check_same(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) seen_text = {.limit = 0};
    SCOPED(buf) expected_text = {.limit = 0};
    json_write_canonical_exact(&seen_text, seen);
    json_write_canonical_exact(&expected_text, expected);
    CHECK_EQ(buf_str(&seen_text), buf_str(&expected_text));
    CHECK(json_equal_exact(seen, expected));
}

void oracle_check_outcome(const struct json_value *row, struct error *err,
                          const struct json_doc *seen)
{
    if (!json_get(row, STR("error"))) {
        CHECK_OK(err);
        oracle_check_same(json_doc_root(seen), json_get(row, STR("result")));
        return;
    }
    int64_t code = 0;
    CHECK(json_to_int64(json_get(row, STR("code")), &code));
    CHECK(err && !seen);
    CHECK_EQ(str_from_c(err->message), json_path_str(row, "error"));
    CHECK_EQ((int64_t)error_code_http_status(err->code), code);
    error_free(err);
}

void oracle_check_strict(const struct json_value *row, const struct json_warnings *warnings)
{
    const struct json_value *strict = json_get(row, STR("strict"));
    CHECK_EQ(warnings->count, json_count(strict));
    for (size_t i = 0; i < warnings->count; i++)
        CHECK_EQ(warnings->items[i], json_to_str(json_at(strict, i)));
}
