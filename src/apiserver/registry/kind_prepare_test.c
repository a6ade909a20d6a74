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

/* What kube-apiserver answers with 500 ends the write before its object is validated. */
TEST(prepare_says_which_port_it_cannot_give)
{
    static const struct {
        const char *name, *ports, *more, *message;
        bool is_update;
    } cases[] = {
        {"a check out of range",   "[{\"port\":80}]",                                                     "\"healthCheckNodePort\":5,",
         "Internal error occurred: failed to allocate requested HealthCheck NodePort 5: provided "
         "port is not in the valid range. The range of valid ports is 30000-32767",                                                                                        false},
        {"a check at a node port", "[{\"port\":80,\"nodePort\":31021}]",
         "\"healthCheckNodePort\":31021,",                                                                                              "Internal error occurred: failed to allocate requested HealthCheck NodePort 31021: "
         "provided port is already allocated",                                                                                   false},
        {"a node port twice",      "[{\"port\":80,\"nodePort\":31040},{\"port\":81,\"nodePort\":31040}]",
         "",                                                                                                                            "duplicate nodePort: {TCP 31040}", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = MEGABYTE};
        OWNED(json_doc) body = NULL;
        OWNED(json_doc) filled = NULL;
        OWNED(json_doc) stored = NULL;
        TEST_CASE("%s", cases[i].name);
        const struct str text =
            arena_print(&arena,
                        "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"type\":\"LoadBalancer\",%s"
                        "\"externalTrafficPolicy\":\"Local\",\"ports\":%s}}",
                        cases[i].more, cases[i].ports);
        const struct kind kind =
            recorded_kind((struct gvk){STR(""), STR("v1"), STR("Service")}, true);
        CHECK_OK(json_read(text, &body));
        CHECK_OK(kind_builtin_default(&kind, body, &filled));
        const struct kind_write write = {
            .old = cases[i].is_update ? json_doc_root(body) : NULL,
            .namespace = STR("n"),
            .arena = &arena,
        };
        struct error *err = kind_builtin_prepare(&kind, &write, filled, &stored);
        CHECK(err != NULL);
        const struct str message = arena_str(&arena, str_from_c(err->message));
        error_free(err);
        CHECK_EQ(message, str_from_c(cases[i].message));
    }
}
