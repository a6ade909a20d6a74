#include "apiserver/registry/kind_default_internal.h"
#include "apiserver/registry/kind_fixture_test.h"
#include "json/path.h"
#include "testing/test.h"

/* What a row is about exists, or a name is misspelt. */
TEST(default_rows_name_members)
{
    size_t count;
    const struct default_row *rows = default_rows(&count);
    for (size_t i = 0; i < count; i++) {
        TEST_CASE("%s.%s", rows[i].type, rows[i].member);
        CHECK(recorded_has_member(rows[i].type, rows[i].member));
    }
}

static void default_filled(const struct recorded *recorded)
{
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) again = NULL;
    SCOPED(buf) path = {.limit = 0};
    buf_add(&path, json_path_str(recorded->row, "path"));
    CHECK_OK(kind_builtin_decode(&recorded->kind, recorded->body, NULL, &decoded));
    CHECK_OK(kind_builtin_default(&recorded->kind, decoded, &doc));
    recorded_compare(json_path(json_doc_root(doc), buf_c(&path)), json_path(recorded->row, "out"));
    CHECK_OK(kind_builtin_default(&recorded->kind, doc, &again));
    recorded_compare(json_doc_root(again), json_doc_root(doc));
}

TEST(default_fills_in)
{
    recorded_foreach("kinds/defaults.jsonl", default_filled);
}

static void default_again(const struct recorded *recorded)
{
    OWNED(json_doc) doc = NULL;
    if (!recorded->is_again)
        return;
    CHECK_OK(kind_builtin_default(&recorded->kind, recorded->body, &doc));
    recorded_compare(json_doc_root(doc), json_doc_root(recorded->body));
}

TEST(default_leaves_what_a_server_answered)
{
    recorded_foreach("kinds/strategy.jsonl", default_again);
}
