/* Objects that were sent to a real API server, and what it made of them. */
#include "apiserver/crd/crd_fixture_test.h"

/* A write from its body to the store and back. */
struct outcome {
    struct arena arena;
    struct json_warnings unknown;
    struct field_errors errors;
    struct error *refused;    /* decoding */
    struct json_doc *checked; /* what was validated */
    struct json_doc *shown;
};

static void outcome_done(struct outcome *outcome)
{
    error_free(outcome->refused);
    json_doc_free(outcome->checked);
    json_doc_free(outcome->shown);
    arena_done(&outcome->arena);
}

static void write_object(const struct kind *kind, const struct json_value *row,
                         struct outcome *outcome)
{
    OWNED(json_doc) body = json_doc_copy(json_get(row, STR("body")));
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) filled = NULL;
    OWNED(json_doc) stored = NULL;
    const struct kind_write write = {.old = json_get(row, STR("old")),
                                     .subresource = json_path_str(row, "subresource"),
                                     .now = FIXTURE_NOW,
                                     .arena = &outcome->arena};
    outcome->unknown.arena = &outcome->arena;
    outcome->errors.arena = &outcome->arena;
    outcome->refused = kind->ops->decode(kind, body, &outcome->unknown, &decoded);
    if (!outcome->refused)
        outcome->refused = crd_check_version(kind, json_doc_root(decoded));
    if (outcome->refused)
        return;
    CHECK_OK(kind->ops->default_(kind, decoded, &filled));
    CHECK_OK(kind->ops->prepare(kind, &write, filled, &outcome->checked));
    kind->ops->validate(kind, &write, json_doc_root(outcome->checked), &outcome->errors);
    CHECK_OK(crd_to_storage(kind, outcome->checked, &stored));
    CHECK_OK(kind->ops->present(kind, stored, &outcome->shown));
}

static void check_warnings(const struct json_warnings *unknown, const struct json_value *expected)
{
    CHECK_EQ(unknown->count, json_count(expected));
    for (size_t i = 0; i < unknown->count; i++)
        CHECK_EQ(unknown->items[i], json_to_str(json_at(expected, i)));
}

/* The message of a Status has more in front. */
static void check_refusal(const struct outcome *outcome, struct str message)
{
    SCOPED(buf) found = {.limit = 0};
    if (outcome->refused)
        buf_add(&found, str_from_c(outcome->refused->message));
    else
        field_errors_write(&found, &outcome->errors);
    CHECK(found.len > 0);
    CHECK_CONTAINS(message, buf_str(&found));
    const size_t at = str_find(message, STR(" is invalid: "));
    if (at != STR_NONE)
        CHECK_EQ(buf_str(&found), str_skip(message, at + sizeof(" is invalid: ") - 1));
}

TEST(crd_objects_become_what_kubernetes_makes_of_them)
{
    ROWS_FOREACH(row, "custom/objects.jsonl")
    {
        OWNED(crd) crd = fixture_crd(json_path_str(row, "resource"));
        const struct kind *kind = fixture_kind(crd, json_path_str(row, "version"));
        const struct json_value *object = json_get(row, STR("object"));
        SCOPED(outcome) outcome = {.refused = NULL};
        write_object(kind, row, &outcome);
        check_warnings(&outcome.unknown, json_get(row, STR("warnings")));
        if (object) {
            SCOPED(buf) errors = {.limit = 0};
            field_errors_write(&errors, &outcome.errors);
            CHECK_EQ(buf_str(&errors), STR(""));
            CHECK_OK(TAKE(outcome.refused));
            fixture_check_json(json_doc_root(outcome.shown), object);
        } else {
            check_refusal(&outcome, json_path_str(row, "message"));
        }
    }
}
