#include "apiserver/registry/kind_fixture_test.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/path.h"
#include "testing/test.h"

static struct field_errors validated(const struct recorded *recorded,
                                     const struct json_value *object)
{
    struct field_errors errors = {.arena = recorded->write.arena};
    kind_builtin_validate(&recorded->kind, &recorded->write, object, &errors);
    return errors;
}

static void print(struct buf *out, const struct field_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        buf_print(out, "%.*s: %.*s\n", STR_ARG(errors->items[i].field),
                  STR_ARG(errors->items[i].body));
}

/* A message may be cut where upstream quotes what we do not have. */
static bool has_cause(const struct field_errors *errors, struct str field, struct str message,
                      bool is_loose)
{
    for (size_t i = 0; i < errors->count; i++)
        if (str_eq(errors->items[i].field, field) &&
            (is_loose || str_eq(errors->items[i].body, message)))
            return true;
    return false;
}

static void validate_one(const struct recorded *recorded)
{
    const struct json_value *causes = json_path(recorded->row, "causes"), *cause;
    const bool is_loose = json_path(recorded->row, "loose_causes") != NULL;
    SCOPED(buf) shown = {.limit = 0};
    if (!causes && !json_path(recorded->row, "answer"))
        return;
    OWNED(json_doc) stored = recorded_stored(recorded);
    const struct field_errors errors = validated(recorded, json_doc_root(stored));
    print(&shown, &errors);
    if (errors.count != json_count(causes))
        test_fail(TEST_PLACE("count"), "%zu expected, found:\n%.*s", json_count(causes),
                  STR_ARG(buf_str(&shown)));
    JSON_FOREACH (key, cause, causes) {
        const struct str field = json_path_str(cause, "field");
        const struct str message = json_path_str(cause, "message");
        if (!has_cause(&errors, field, message, is_loose))
            test_fail(TEST_PLACE("cause"), "no %.*s: %.*s in\n%.*s", STR_ARG(field),
                      STR_ARG(message), STR_ARG(buf_str(&shown)));
    }
}

TEST(validate_finds_what_was_recorded)
{
    recorded_foreach("kinds/strategy.jsonl", validate_one);
}

TEST(validate_finds_what_users_get_wrong)
{
    recorded_foreach("kinds/invalid.jsonl", validate_one);
}

/* Rows of one type stand together, and name a member that the type has. */
TEST(validate_rows_name_members)
{
    size_t count;
    const struct rule_row *rows = rule_rows(&count);
    for (size_t i = 0; i < count; i++) {
        TEST_CASE("%s.%s", rows[i].type, rows[i].member ? rows[i].member : "");
        CHECK(recorded_has_member(rows[i].type, rows[i].member));
        for (size_t k = 0; k + 1 < i; k++)
            CHECK(strcmp(rows[k].type, rows[i].type) != 0 ||
                  strcmp(rows[i - 1].type, rows[i].type) == 0);
    }
}

TEST(validate_knows_how_large_data_may_be)
{
    static const struct {
        const char *name;
        struct gvk gvk;
        size_t size;
        const char *field;
    } cases[] = {
        {"just right",      {STR_INIT(""), STR_INIT("v1"), STR_INIT("ConfigMap")}, 1048576, NULL  },
        {"one too many",    {STR_INIT(""), STR_INIT("v1"), STR_INIT("ConfigMap")}, 1048577, "[]"  },
        {"a secret, right", {STR_INIT(""), STR_INIT("v1"), STR_INIT("Secret")},    1048576, NULL  },
        {"a secret",        {STR_INIT(""), STR_INIT("v1"), STR_INIT("Secret")},    1048577, "data"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 64 * MEGABYTE};
        SCOPED(json_builder) builder = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        char *text = arena_alloc(&arena, cases[i].size);
        memset(text, 'x', cases[i].size);
        json_builder_object(&builder);
        json_builder_add_object(&builder, i < 2 ? "data" : "stringData");
        json_builder_add_str(&builder, "a", str_from(text, cases[i].size));
        json_builder_end(&builder);
        json_builder_end(&builder);
        struct recorded recorded = {.kind = recorded_kind(cases[i].gvk, true),
                                    .write.arena = &arena};
        OWNED(json_doc) body = NULL;
        CHECK_OK(json_builder_finish(&builder, &body));
        recorded.body = body;
        OWNED(json_doc) stored = recorded_stored(&recorded);
        const struct field_errors errors = validated(&recorded, json_doc_root(stored));
        CHECK_EQ(errors.count, cases[i].field ? (size_t)1 : (size_t)0);
        if (cases[i].field)
            CHECK_EQ(errors.items[0].field, str_from_c(cases[i].field));
    }
}

TEST(validate_knows_how_long_a_list_of_indexes_may_be)
{
    static const struct {
        const char *name;
        size_t size;
        const char *body;
    } cases[] = {
        {"just right",   65536, NULL                                        },
        {"one too many", 65537, "Too long: may not be more than 65536 bytes"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 64 * MEGABYTE};
        OWNED(json_doc) body = NULL;
        TEST_CASE("%s", cases[i].name);
        char *text = arena_alloc(&arena, cases[i].size);
        memset(text, '0', cases[i].size);
        const struct str object = arena_print(
            &arena,
            "{\"spec\":{\"completionMode\":\"Indexed\",\"completions\":1,\"successPolicy\":{\"rules\":"
            "[{\"succeededIndexes\":\"%.*s\"}]},\"template\":{\"spec\":{\"restartPolicy\":\"Never\","
            "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
            (int)cases[i].size, text);
        CHECK_OK(json_read(object, &body));
        const struct recorded recorded = {
            .kind = recorded_kind((struct gvk){STR("batch"), STR("v1"), STR("Job")}, true),
            .write.arena = &arena,
            .body = body,
        };
        OWNED(json_doc) stored = recorded_stored(&recorded);
        const struct field_errors errors = validated(&recorded, json_doc_root(stored));
        bool is_found = false;
        for (size_t k = 0; k < errors.count; k++)
            is_found = is_found || str_eq(errors.items[k].field,
                                          STR("spec.successPolicy.rules[0].succeededIndexes"));
        CHECK_EQ(is_found, cases[i].body != NULL);
        if (cases[i].body)
            CHECK_EQ(errors.items[errors.count - 1].body, str_from_c(cases[i].body));
    }
}
