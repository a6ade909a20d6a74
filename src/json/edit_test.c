#include "json/edit.h"

#include "testing/test.h"

static struct json_doc *read_ok(const char *text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    return doc;
}

static void check_finished(struct json_edit *edit, const char *expected)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(json_edit_finish(edit, &doc));
    json_write(&text, json_doc_root(doc));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(json_edit_sets_a_status)
{
    OWNED(json_doc)
    base = read_ok("{\"kind\":\"X\",\"status\":{\"conditions\":[{\"type\":\"A\"}]},\"n\":1.0}");
    OWNED(json_doc) condition = read_ok("{\"type\":\"B\"}");
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(base));
    json_edit_append(&edit, JSON_PLACE("status.conditions"), json_doc_root(condition));
    json_edit_set_str(&edit, JSON_PLACE("status.conditions.0.status"), STR("True\xff"));
    json_edit_set_int(&edit, JSON_PLACE("status.observedGeneration"), 7);
    json_edit_set_bool(&edit, JSON_PLACE("status.ready"), true);
    json_edit_set(&edit, JSON_PLACE("status.nothing"), NULL);
    check_finished(
        &edit,
        "{\"kind\":\"X\",\"status\":{\"conditions\":[{\"type\":\"A\","
        "\"status\":\"True\xef\xbf\xbd\"},"
        "{\"type\":\"B\"}],\"observedGeneration\":7,\"ready\":true,\"nothing\":null},\"n\":1}");
}

TEST(json_edit_creates_what_is_missing)
{
    SCOPED(json_edit) edit;
    json_edit_init(&edit, NULL);
    json_edit_set_str(&edit, JSON_PLACE_KEY("metadata.labels", STR("a.b/c")), STR("d"));
    json_edit_append(&edit, JSON_PLACE("metadata.finalizers"), NULL);
    json_edit_set_int(&edit, JSON_PLACE_KEY("", STR("")), 1);
    check_finished(&edit,
                   "{\"metadata\":{\"labels\":{\"a.b/c\":\"d\"},\"finalizers\":[null]},\"\":1}");
}

TEST(json_edit_replaces_the_root)
{
    OWNED(json_doc) base = read_ok("{\"a\":1}");
    OWNED(json_doc) other = read_ok("[1]");
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(base));
    json_edit_set(&edit, JSON_PLACE(""), json_doc_root(other));
    json_edit_append(&edit, JSON_PLACE(""), json_doc_root(base));
    check_finished(&edit, "[1,{\"a\":1}]");
}

TEST(json_edit_removes)
{
    OWNED(json_doc) base = read_ok("{\"a\":{\"b\":[1,2,3]},\"c\":null,\"x.y\":1}");
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(base));
    json_edit_remove(&edit, JSON_PLACE("a.b.1"));
    json_edit_remove(&edit, JSON_PLACE("a.b.9"));
    json_edit_remove(&edit, JSON_PLACE("absent.b"));
    json_edit_remove(&edit, JSON_PLACE("c.d"));
    json_edit_remove(&edit, JSON_PLACE("c"));
    json_edit_remove(&edit, JSON_PLACE_KEY("", STR("x.y")));
    check_finished(&edit, "{\"a\":{\"b\":[1,3]}}");
}

TEST(json_edit_reports_the_first_problem)
{
    OWNED(json_doc) base = read_ok("{\"a\":\"s\",\"b\":[1]}");
    const struct json_place places[] = {JSON_PLACE("a.b"), JSON_PLACE("b.1"), JSON_PLACE("b.x.y")};
    for (size_t i = 0; i < COUNT(places); i++) {
        TEST_CASE("%s", places[i].path);
        SCOPED(json_edit) edit;
        struct json_doc *doc = NULL;
        json_edit_init(&edit, json_doc_root(base));
        json_edit_set_int(&edit, places[i], 1);
        json_edit_set_int(&edit, JSON_PLACE("fine"), 1);
        CHECK_ERROR(json_edit_finish(&edit, &doc), ERROR_INVALID);
        CHECK(!doc);
    }
}

TEST(json_edit_drops_what_would_be_empty)
{
    OWNED(json_doc) base = read_ok("{\"a\":[1],\"b\":[1],\"c\":1}");
    OWNED(json_doc) full = read_ok("[2]");
    OWNED(json_doc) empty = read_ok("[]");
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(base));
    json_edit_set_unless_empty(&edit, JSON_PLACE("a"), json_doc_root(full));
    json_edit_set_unless_empty(&edit, JSON_PLACE("b"), json_doc_root(empty));
    json_edit_set_unless_empty(&edit, JSON_PLACE("d"), json_doc_root(empty));
    check_finished(&edit, "{\"a\":[2],\"c\":1}");
}
