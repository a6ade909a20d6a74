#include "apiserver/registry/kind_fixture_test.h"
#include "json/path.h"
#include "testing/test.h"

static bool has_text(const struct json_warnings *warnings, struct str text)
{
    for (size_t i = 0; i < warnings->count; i++)
        if (str_eq(warnings->items[i], text))
            return true;
    return false;
}

static void check_decoded(const struct recorded *recorded)
{
    struct json_warnings unknown = {.arena = recorded->write.arena};
    const struct json_value *expected = json_path(recorded->row, "unknown"), *text;
    OWNED(json_doc) doc = NULL;
    CHECK_OK(kind_builtin_decode(&recorded->kind, recorded->body, &unknown, &doc));
    CHECK_EQ(unknown.count, json_count(expected));
    JSON_FOREACH (key, text, expected)
        CHECK(has_text(&unknown, json_to_str(text)));
    if (recorded->is_again)
        recorded_compare(json_doc_root(doc), json_doc_root(recorded->body));
}

static void decode_one(const struct recorded *recorded)
{
    OWNED(json_doc) doc = NULL;
    const struct str text = json_path_str(recorded->row, "error");
    if (text.len == 0) {
        check_decoded(recorded);
        return;
    }
    OWNED(error) err = kind_builtin_decode(&recorded->kind, recorded->body, NULL, &doc);
    CHECK(error_is(err, ERROR_BAD_REQUEST));
    CHECK_EQ(str_from_c(err->message), text);
}

TEST(decode_takes_what_was_recorded)
{
    recorded_foreach("kinds/strategy.jsonl", decode_one);
}

static void decode_written(const struct recorded *recorded)
{
    const struct json_value *out = json_path(recorded->row, "out");
    OWNED(json_doc) doc = NULL;
    if (!out) {
        decode_one(recorded);
        return;
    }
    CHECK_OK(kind_builtin_decode(&recorded->kind, recorded->body, NULL, &doc));
    recorded_compare(json_doc_root(doc), out);
}

/* What no exchange shows, from what is known of Go. */
TEST(decode_writes_and_refuses_as_go_does)
{
    recorded_foreach("kinds/decode.jsonl", decode_written);
}
