#include "apiserver/registry/kind_builtin.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

static void check_presented(const struct kind *kind, const struct json_value *stored,
                            const struct json_value *shown)
{
    OWNED(json_doc) before = json_doc_copy(stored);
    OWNED(json_doc) after = NULL;
    SCOPED(buf) seen = {0};
    SCOPED(buf) wanted = {0};
    CHECK_OK(kind_builtin_present(kind, before, &after));
    json_write_canonical(&seen, json_doc_root(after));
    json_write_canonical(&wanted, shown);
    CHECK_EQ(buf_str(&seen), buf_str(&wanted));
}

/* Written through one group, read through the other. */
TEST(events_have_two_forms)
{
    struct str rest = test_data("kinds/events.jsonl"), line;
    while (str_cut(&rest, '\n', &line) || !str_is_empty(line)) {
        OWNED(json_doc) doc = NULL;
        CHECK_OK(json_read(line, &doc));
        const struct json_value *row = json_doc_root(doc);
        TEST_CASE("%.*s", STR_ARG(json_path_str(row, "id")));
        const struct kind *kind = kinds_find((struct gvr){json_path_str(row, "resource.0"),
                                                          json_path_str(row, "resource.1"),
                                                          json_path_str(row, "resource.2")});
        check_presented(kind, json_path(row, "stored"), json_path(row, "shown"));
        check_presented(kind, json_path(row, "shown"), json_path(row, "shown"));
    }
}

TEST(other_kinds_are_shown_as_stored)
{
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) shown = NULL;
    CHECK_OK(json_read(STR("{\"apiVersion\":\"v1\",\"kind\":\"Secret\"}"), &doc));
    CHECK_OK(kind_builtin_present(kinds_find(GVR("", "v1", "secrets")), doc, &shown));
    CHECK(shown == doc);
}
