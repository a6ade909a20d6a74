#include "apiserver/registry/kind_fixture_test.h"
#include "json/edit.h"
#include "json/json_pointer_test.h"
#include "json/path.h"
#include "testing/test.h"

/* Metadata that a server sets is not ours, nor is an address that is drawn. */
static struct json_doc *comparable(const struct recorded *recorded, const struct json_value *object)
{
    static const char *const members[] = {"name",
                                          "generateName",
                                          "namespace",
                                          "uid",
                                          "resourceVersion",
                                          "creationTimestamp",
                                          "generation",
                                          "managedFields",
                                          "selfLink",
                                          "deletionTimestamp",
                                          "deletionGracePeriodSeconds"};
    SCOPED(json_edit) edit;
    struct json_doc *doc = NULL;
    json_edit_init(&edit, object);
    for (size_t i = 0; i < COUNT(members); i++)
        json_edit_remove(&edit, JSON_PLACE_KEY("metadata", str_from_c(members[i])));
    if (json_path(recorded->row, "loose")) {
        json_edit_remove(&edit, JSON_PLACE("spec.clusterIP"));
        json_edit_remove(&edit, JSON_PLACE("spec.clusterIPs"));
        json_edit_remove(&edit, JSON_PLACE("metadata.labels"));
    }
    CHECK_OK(json_edit_finish(&edit, &doc));
    return doc;
}

/* Members by their pointers; those of the server are left out. */
static void compare_selected(const struct json_value *stored, const struct json_value *answer)
{
    const struct json_value *expected;
    JSON_FOREACH (pointer, expected, answer) {
        if (str_eq(pointer, STR("/metadata/generation")) ||
            str_eq(pointer, STR("/metadata/namespace")))
            continue;
        recorded_compare(json_pointer(stored, pointer), expected);
    }
}

static void prepare_one(const struct recorded *recorded)
{
    const struct json_value *answer = json_path(recorded->row, "answer");
    if (!answer)
        return;
    OWNED(json_doc) stored = recorded_stored(recorded);
    if (json_path(recorded->row, "select")) {
        compare_selected(json_doc_root(stored), answer);
        return;
    }
    OWNED(json_doc) seen = comparable(recorded, json_doc_root(stored));
    OWNED(json_doc) expected = comparable(recorded, answer);
    recorded_compare(json_doc_root(seen), json_doc_root(expected));
}

TEST(prepare_stores_what_was_answered)
{
    recorded_foreach("kinds/strategy.jsonl", prepare_one);
}

static void prepare_written(const struct recorded *recorded)
{
    const struct json_value *expected;
    OWNED(json_doc) stored = recorded_stored(recorded);
    JSON_FOREACH (pointer, expected, json_path(recorded->row, "select"))
        recorded_compare(json_pointer(json_doc_root(stored), pointer), expected);
}

TEST(prepare_fills_in_what_a_server_chooses)
{
    recorded_foreach("kinds/prepare.jsonl", prepare_written);
}
