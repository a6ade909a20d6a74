#include "json/merge_patch.h"

#include "json/compare.h"
#include "json/oracle_test.h"
#include "json/path.h"
#include "testing/test.h"

static struct error *read_patch(const struct json_value *row, struct json_warnings *warnings,
                                struct json_doc **ret_patch)
{
    if (json_get(row, STR("patch_text")))
        return merge_patch_read(json_path_str(row, "patch_text"), warnings, ret_patch);
    SCOPED(buf) text = {.limit = 0};
    json_write_with(&text, json_get(row, STR("patch")), JSON_WRITE_NUMBERS_AS_READ);
    return merge_patch_read(buf_str(&text), warnings, ret_patch);
}

static struct error *apply_row(const struct json_value *row, struct json_warnings *warnings,
                               struct json_doc **ret_doc)
{
    OWNED(json_doc) patch = NULL;
    TRY(read_patch(row, warnings, &patch));
    return merge_patch_apply(json_get(row, STR("original")), json_doc_root(patch), ret_doc);
}

TEST(merge_patch_of_oracle)
{
    size_t rows = 0;
    struct str text = test_data("oracle/mergepatch.jsonl");
    for (OWNED(json_doc) row = oracle_next(&text); row; oracle_step(&text, &row), rows++) {
        SCOPED(arena) arena = {.limit = 0};
        struct json_warnings warnings = {.arena = &arena};
        OWNED(json_doc) doc = NULL;
        struct error *err = apply_row(json_doc_root(row), &warnings, &doc);
        oracle_check_outcome(json_doc_root(row), err, doc);
        oracle_check_strict(json_doc_root(row), &warnings);
    }
    CHECK_EQ(rows, (size_t)86);
}

TEST(merge_patch_diff_of_oracle)
{
    size_t rows = 0;
    struct str text = test_data("oracle/mergediff.jsonl");
    for (OWNED(json_doc) doc = oracle_next(&text); doc; oracle_step(&text, &doc), rows++) {
        const struct json_value *row = json_doc_root(doc);
        const struct json_value *from = json_get(row, STR("from")), *to = json_get(row, STR("to"));
        const struct json_value *applied = json_get(row, STR("applied"));
        OWNED(json_doc) patch = NULL;
        OWNED(json_doc) result = NULL;
        CHECK_OK(merge_patch_diff(from, to, &patch));
        oracle_check_same(json_doc_root(patch), json_get(row, STR("patch")));
        CHECK_OK(merge_patch_apply(from, json_doc_root(patch), &result));
        oracle_check_same(json_doc_root(result), applied ? applied : to);
    }
    CHECK_EQ(rows, (size_t)61);
}

static void check_applied(const char *original, const char *patch, const char *expected)
{
    OWNED(json_doc) a = NULL;
    OWNED(json_doc) b = NULL;
    OWNED(json_doc) result = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(json_read(str_from_c(original), &a));
    CHECK_OK(merge_patch_read(str_from_c(patch), NULL, &b));
    CHECK_OK(merge_patch_apply(json_doc_root(a), json_doc_root(b), &result));
    json_write(&text, json_doc_root(result));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(merge_patch_apply)
{
    check_applied("{\"b\":1,\"a\":{\"y\":1,\"x\":2}}", "{\"a\":{\"z\":3,\"y\":null},\"c\":4}",
                  "{\"b\":1,\"a\":{\"x\":2,\"z\":3},\"c\":4}");
    check_applied("[1]", "{\"a\":{\"b\":null}}", "{\"a\":{}}");
    check_applied("{\"a\":{\"b\":1}}", "{\"a\":[{\"x\":null}]}", "{\"a\":[{\"x\":null}]}");
}

static struct json_doc *read_nested(int depth, const char *inner)
{
    SCOPED(buf) text = {.limit = 0};
    struct json_doc *doc = NULL;
    for (int i = 0; i < depth; i++)
        buf_add(&text, STR("{\"a\":"));
    buf_add(&text, str_from_c(inner));
    for (int i = 0; i < depth; i++)
        buf_add_char(&text, '}');
    CHECK_OK(json_read(buf_str(&text), &doc));
    return doc;
}

TEST(merge_patch_of_deep_documents)
{
    OWNED(json_doc) from = read_nested(JSON_DEPTH_MAX, "1");
    OWNED(json_doc) to = read_nested(JSON_DEPTH_MAX, "2");
    OWNED(json_doc) patch = NULL;
    OWNED(json_doc) result = NULL;
    CHECK_OK(merge_patch_diff(json_doc_root(from), json_doc_root(to), &patch));
    CHECK_OK(merge_patch_apply(json_doc_root(from), json_doc_root(patch), &result));
    CHECK(json_equal_exact(json_doc_root(result), json_doc_root(to)));
    json_doc_free(TAKE(patch));
    CHECK_OK(merge_patch_diff(json_doc_root(to), json_doc_root(result), &patch));
    CHECK_EQ(json_count(json_doc_root(patch)), (size_t)0);
}
