#include "apiserver/registry/kind_fixture_test.h"
#include "json/path.h"
#include "testing/test.h"

static void check_warnings(const struct recorded *recorded, const struct json_value *object)
{
    struct json_warnings warnings = {.arena = recorded->write.arena};
    const struct json_value *expected = json_path(recorded->row, "warnings");
    kind_builtin_warn(&recorded->kind, &recorded->write, object, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        CHECK_EQ(warnings.items[i], json_to_str(json_at(expected, i)));
    CHECK_EQ(warnings.count, json_count(expected));
}

/* The bodies of these are what was stored, so that their generation is that of kube-apiserver. */
static void warn_of_stored(const struct recorded *recorded)
{
    check_warnings(recorded, json_doc_root(recorded->body));
}

TEST(warnings_are_those_of_kube_apiserver)
{
    recorded_foreach("kinds/warnings.jsonl", warn_of_stored);
}

static void warn_of_written(const struct recorded *recorded)
{
    if (!json_path(recorded->row, "answer") || recorded->is_again)
        return;
    OWNED(json_doc) stored = recorded_stored(recorded);
    check_warnings(recorded, json_doc_root(stored));
}

TEST(warnings_come_with_what_was_recorded)
{
    recorded_foreach("kinds/strategy.jsonl", warn_of_written);
}
