#include "apimachinery/object_edit.h"

#include "testing/test.h"

static struct object *read_object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

/* Finishes the edit and compares the text of the new object. */
static void check_finish(struct object_edit *edit, const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) changed = NULL;
    CHECK_OK(object_edit_finish(edit, &changed));
    object_write(&text, changed);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(object_edit_other_places)
{
    OWNED(object)
    object = read_object("{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"},"
                         "\"managedFields\":[{}]},\"status\":{}}");
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    json_edit_set_str(&edit.json, JSON_PLACE_KEY("metadata.labels", STR("b.io/c")), STR("2"));
    json_edit_remove(&edit.json, JSON_PLACE_KEY("metadata.labels", STR("x")));
    json_edit_set_str(&edit.json, JSON_PLACE_KEY("metadata.annotations", STR("d.io/e.f")),
                      STR("3"));
    json_edit_remove(&edit.json, JSON_PLACE_KEY("metadata.annotations", STR("none")));
    object_edit_drop_managed_fields(&edit);
    json_edit_set_int(&edit.json, JSON_PLACE("status.observedGeneration"), 4);
    check_finish(&edit, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"b.io/c\":\"2\"},"
                        "\"annotations\":{\"d.io/e.f\":\"3\"}},"
                        "\"status\":{\"observedGeneration\":4}}");
    CHECK_EQ(json_count(object_labels(object)), (size_t)1);
}

TEST(object_edit_finalizers)
{
    OWNED(object) object = read_object("{\"metadata\":{\"finalizers\":[\"a\"]}}");
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    CHECK(!object_edit_add_finalizer(&edit, STR("a")));
    CHECK(object_edit_add_finalizer(&edit, STR("b")));
    CHECK(!object_edit_add_finalizer(&edit, STR("b")));
    CHECK(!object_edit_remove_finalizer(&edit, STR("c")));
    check_finish(&edit, "{\"metadata\":{\"finalizers\":[\"a\",\"b\"]}}");
    object_edit_done(&edit);
    object_edit_init(&edit, object);
    CHECK(object_edit_remove_finalizer(&edit, STR("a")));
    check_finish(&edit, "{\"metadata\":{}}");
    object_edit_done(&edit);
    OWNED(object) bare = read_object("{}");
    object_edit_init(&edit, bare);
    CHECK(object_edit_add_finalizer(&edit, STR("a")));
    check_finish(&edit, "{\"metadata\":{\"finalizers\":[\"a\"]}}");
}

static const char owned_text[] = "{\"metadata\":{\"name\":\"n\",\"ownerReferences\":["
                                 "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"name\":\"a\","
                                 "\"uid\":\"1\",\"controller\":true,\"future\":1}]}}";

TEST(object_edit_replaces_the_owner_that_was_recreated)
{
    OWNED(object) object = read_object(owned_text);
    struct owner_reference owner = {STR("g/v2"), STR("K"), STR("a"), STR("9"), false, false};
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    CHECK(object_edit_set_owner(&edit, owner));
    CHECK(!object_edit_set_owner(&edit, owner));
    check_finish(&edit, "{\"metadata\":{\"name\":\"n\",\"ownerReferences\":[{\"apiVersion\":"
                        "\"g/v2\",\"kind\":\"K\",\"name\":\"a\",\"uid\":\"9\"}]}}");
}

TEST(object_edit_appends_and_removes_owners)
{
    OWNED(object) object = read_object(owned_text);
    struct owner_reference owner = {STR("v1"), STR("K"), STR("a"), STR("2"), false, true};
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    CHECK(object_edit_set_owner(&edit, owner)); /* another group */
    check_finish(&edit, "{\"metadata\":{\"name\":\"n\",\"ownerReferences\":["
                        "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"name\":\"a\",\"uid\":\"1\","
                        "\"controller\":true,\"future\":1},{\"apiVersion\":\"v1\",\"kind\":\"K\","
                        "\"name\":\"a\",\"uid\":\"2\",\"blockOwnerDeletion\":true}]}}");
    object_edit_done(&edit);
    object_edit_init(&edit, object);
    CHECK(!object_edit_remove_owner(&edit, owner));
    owner.api_version = STR("g/v7");
    CHECK(object_edit_remove_owner(&edit, owner));
    check_finish(&edit, "{\"metadata\":{\"name\":\"n\"}}");
}

TEST(object_edit_refuses_a_second_controller)
{
    OWNED(object) object = read_object(owned_text);
    const struct owner_reference other = {STR("g/v1"), STR("K"), STR("b"), STR("2"), true, false};
    SCOPED(object_edit) edit;
    struct object *changed = NULL;
    object_edit_init(&edit, object);
    CHECK(!object_edit_set_owner(&edit, other));
    CHECK_FAILS(object_edit_finish(&edit, &changed), ERROR_INVALID,
                "object n is already controlled by K \"a\"");
    CHECK(!changed);
}

TEST(object_edit_reports_what_cannot_be_changed)
{
    OWNED(object) object = read_object("{\"metadata\":{\"labels\":\"none\"}}");
    SCOPED(object_edit) edit;
    struct object *changed = NULL;
    object_edit_init(&edit, object);
    json_edit_set_str(&edit.json, JSON_PLACE_KEY("metadata.labels", STR("a")), STR("b"));
    CHECK_ERROR(object_edit_finish(&edit, &changed), ERROR_INVALID);
}
