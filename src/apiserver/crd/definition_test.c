#include "apiserver/crd/definition.h"

#include "apimachinery/metadata_validation.h"
#include "apiserver/crd/crd_fixture_test.h"
#include "json/edit.h"

/* Everything is wrong once: the errors of a definition as a message has them. */
static void check_errors(const struct json_doc *definition, const struct json_doc *old,
                         struct str expected)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) found = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    definition_validate(json_doc_root(definition), old ? json_doc_root(old) : NULL, &errors);
    field_errors_write(&found, &errors);
    CHECK_EQ(buf_str(&found), expected);
}

static bool has_cause(const struct json_value *causes, const struct field_error *error,
                      bool is_loose)
{
    const struct json_value *cause;
    JSON_FOREACH (key, cause, causes)
        if (str_eq(json_path_str(cause, "field"), error->field) &&
            str_eq(json_path_str(cause, "reason"), field_error_reason(error->type)) &&
            (is_loose || str_eq(json_path_str(cause, "message"), error->body)))
            return true;
    return false;
}

/* Group crd-invalid. */
TEST(definition_validate_says_what_kubernetes_says)
{
    ROWS_FOREACH(row, "custom/refused.jsonl")
    {
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) text = {.limit = 0};
        struct field_errors errors = {.arena = &arena};
        OWNED(json_doc) body = json_doc_copy(json_get(row, STR("body")));
        OWNED(json_doc) definition = NULL;
        const struct json_value *causes = json_get(row, STR("causes"));
        bool is_loose = false;
        json_to_bool(json_get(row, STR("loose")), &is_loose);
        CHECK_OK(definition_default(body, &definition));
        const struct json_value *root = json_doc_root(definition);
        metadata_check(&errors, json_get(root, STR("metadata")), validation_dns1123_subdomain);
        definition_validate(root, NULL, &errors);
        field_errors_write(&text, &errors);
        for (size_t i = 0; i < errors.count; i++)
            if (!has_cause(causes, &errors.items[i], is_loose))
                test_fail(TEST_PLACE("errors"), "unexpected among %.*s", STR_ARG(buf_str(&text)));
        CHECK_EQ(errors.count, json_count(causes));
    }
}

TEST(definition_validate_accepts_what_kubernetes_accepts)
{
    ROWS_FOREACH(row, "custom/definitions.jsonl")
    {
        OWNED(json_doc) body = json_doc_copy(json_get(row, STR("body")));
        OWNED(json_doc) definition = NULL;
        CHECK_OK(definition_default(body, &definition));
        check_errors(definition, NULL, STR(""));
        check_errors(definition, definition, STR(""));
    }
}

/* The gadgets' definition with one member changed. */
static struct json_doc *changed(struct str path, const struct json_value *value)
{
    struct json_doc *doc = NULL;
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) base = fixture_definition(STR("gadgets.crd.run.example.com"));
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(base));
    json_edit_set(&edit, (struct json_place){.path = arena_c(&arena, path)}, value);
    CHECK_OK(json_edit_finish(&edit, &doc));
    return doc;
}

static struct json_doc *changed_to(struct str path, const char *value)
{
    OWNED(json_doc) content = fixture_read(str_from_c(value));
    return changed(path, json_doc_root(content));
}

TEST(definition_validate_looks_at_every_field)
{
    ROWS_FOREACH(row, "custom/changes.jsonl")
    {
        OWNED(json_doc)
        definition = changed(json_path_str(row, "path"), json_get(row, STR("value")));
        check_errors(definition, NULL, json_path_str(row, "message"));
    }
}

/* A definition whose only version has this schema below its properties. */
static struct json_doc *with_properties(const char *properties)
{
    struct json_doc *doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
              "\"properties\":%s}}}]}}",
              properties);
    CHECK_OK(json_read(buf_str(&text), &doc));
    return doc;
}

/* As kube-apiserver v1.36.4 said. */
TEST(definition_warn_tells_of_formats)
{
    static const char x[] = "unrecognized format \"x\"";
    static const struct {
        const char *name, *properties, *old, *warning;
    } cases[] = {
        {"known",           "{\"a\":{\"type\":\"string\",\"format\":\"date-time\"}}",                        NULL,                         ""},
        {"a name",          "{\"a\":{\"type\":\"string\",\"format\":\"k8s-short-name\"}}",                   NULL,                         ""},
        {"with dashes",     "{\"a\":{\"type\":\"string\",\"format\":\"u-r-i\"}}",                            NULL,                         ""},
        {"integer",         "{\"a\":{\"type\":\"integer\",\"format\":\"int64\"}}",                           NULL,                         ""},
        {"number",          "{\"a\":{\"type\":\"number\",\"format\":\"double\"}}",                           NULL,                         ""},
        {"of another type", "{\"a\":{\"type\":\"string\",\"format\":\"int32\"}}",                            NULL,
         "unrecognized format \"int32\""                                                                                                     },
        {"no integer",      "{\"a\":{\"type\":\"integer\",\"format\":\"uint8\"}}",                           NULL,
         "unrecognized format \"uint8\""                                                                                                     },
        {"object",          "{\"a\":{\"type\":\"object\",\"format\":\"x\"}}",                                NULL,                         x },
        {"items",           "{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"x\"}}}",
         NULL,                                                                                                                             x },
        {"values",
         "{\"a\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\",\"format\":\"x\"}}}",
         NULL,                                                                                                                             x },
        {"any",             "{\"a\":{\"type\":\"string\",\"anyOf\":[{\"format\":\"x\"}]}}",                  NULL,                         x },
        {"not",             "{\"a\":{\"type\":\"string\",\"not\":{\"format\":\"x\"}}}",                      NULL,                         x },
        {"twice",           "{\"a\":{\"format\":\"x\"},\"b\":{\"format\":\"x\"}}",                           NULL,                         x },
        {"there before",    "{\"a\":{\"format\":\"x\"}}",                                                    "{\"b\":{\"format\":\"x\"}}", ""},
        {"another before",  "{\"a\":{\"format\":\"x\"}}",                                                    "{\"b\":{\"format\":\"y\"}}", x },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        struct json_warnings warnings = {.arena = &arena};
        OWNED(json_doc) definition = with_properties(cases[i].properties);
        OWNED(json_doc) old = cases[i].old ? with_properties(cases[i].old) : NULL;
        TEST_CASE("%s", cases[i].name);
        definition_warn(json_doc_root(definition), old ? json_doc_root(old) : NULL, &warnings);
        CHECK_EQ(warnings.count, (size_t)(*cases[i].warning ? 1 : 0));
        if (warnings.count)
            CHECK_EQ(warnings.items[0], str_from_c(cases[i].warning));
    }
}

TEST(definition_validate_keeps_what_must_not_change)
{
    OWNED(json_doc) fresh = fixture_definition(STR("gadgets.crd.run.example.com"));
    OWNED(json_doc)
    established =
        changed_to(STR("status.conditions"), "[{\"type\":\"Established\",\"status\":\"True\"}]");
    OWNED(json_doc) scope = changed_to(STR("spec.scope"), "\"Cluster\"");
    OWNED(json_doc) group = changed_to(STR("spec.group"), "\"other.example.com\"");
    check_errors(scope, fresh, STR(""));
    check_errors(scope, established,
                 STR("spec.scope: Invalid value: \"Cluster\": field is immutable"));
    check_errors(group, fresh,
                 STR("spec.group: Invalid value: \"other.example.com\": field is immutable"));
}

TEST(definition_default_fills_in_names_conversion_and_status)
{
    OWNED(json_doc) once = fixture_definition(STR("gadgets.crd.run.example.com"));
    OWNED(json_doc) twice = NULL;
    OWNED(json_doc) moved = changed_to(STR("status.storedVersions"), "[\"v0\"]");
    OWNED(json_doc) both = NULL;
    const struct json_value *root = json_doc_root(once);
    SCOPED(buf) status = {.limit = 0};
    CHECK_EQ(json_path_str(root, "spec.names.singular"), STR("gadget"));
    CHECK_EQ(json_path_str(root, "spec.names.listKind"), STR("GadgetList"));
    CHECK_EQ(json_path_str(root, "spec.conversion.strategy"), STR("None"));
    json_write(&status, json_get(root, STR("status")));
    CHECK_EQ(
        buf_str(&status),
        STR("{\"conditions\":null,\"acceptedNames\":{\"plural\":\"\",\"kind\":\"\"},\"storedVersions\":[\"v1\"]}"));
    CHECK_OK(definition_default(once, &twice));
    CHECK(once == twice);
    CHECK_OK(definition_default(moved, &both));
    CHECK_EQ(json_count(json_path(json_doc_root(both), "status.storedVersions")), (size_t)2);
}

static bool is_taken(void *data, struct str name, bool is_kind)
{
    return str_eq(name, *(const struct str *)data) && is_kind == (name.ptr[0] < 'a');
}

/* The rows have a name that another definition uses. */
TEST(definition_update_status_says_what_became_of_the_names)
{
    ROWS_FOREACH(row, "custom/settled.jsonl")
    {
        OWNED(json_doc) fresh = fixture_definition(STR("gadgets.crd.run.example.com"));
        OWNED(json_doc) updated = NULL;
        OWNED(json_doc) again = NULL;
        struct str taken = json_path_str(row, "taken");
        bool is_established = false;
        json_to_bool(json_get(row, STR("established")), &is_established);
        CHECK(!definition_is_established(json_doc_root(fresh)));
        CHECK_OK(definition_update_status(fresh, FIXTURE_NOW, is_taken, &taken, &updated));
        fixture_check_json(json_get(json_doc_root(updated), STR("status")),
                           json_get(row, STR("status")));
        CHECK_EQ(definition_is_established(json_doc_root(updated)), is_established);
        CHECK_OK(definition_update_status(updated, FIXTURE_NOW + SECOND, is_taken, &taken, &again));
        CHECK(again == updated);
    }
}

TEST(definition_update_status_says_that_it_goes)
{
    OWNED(json_doc)
    doomed = changed_to(STR("metadata.deletionTimestamp"), "\"2023-11-14T22:13:20Z\"");
    OWNED(json_doc) updated = NULL;
    CHECK_OK(definition_update_status(doomed, FIXTURE_NOW, NULL, NULL, &updated));
    const struct json_value *condition = json_path(json_doc_root(updated), "status.conditions.2");
    CHECK_EQ(json_path_str(condition, "type"), STR("Terminating"));
    CHECK_EQ(json_path_str(condition, "reason"), STR("InstanceDeletionInProgress"));
}

/* A definition with so many versions, all of them served. */
static struct json_doc *with_versions(int count)
{
    SCOPED(buf) versions = {.limit = 0};
    for (int i = 1; i <= count; i++)
        buf_print(&versions,
                  "%s{\"name\":\"v%d\",\"served\":true,\"storage\":%s,\"schema\":"
                  "{\"openAPIV3Schema\":{\"type\":\"object\"}}}",
                  i > 1 ? "," : "[", i, i == 1 ? "true" : "false");
    buf_add(&versions, STR("]"));
    OWNED(json_doc) stored = changed_to(STR("status.storedVersions"), "[\"v1\"]");
    OWNED(json_doc) list = fixture_read(buf_str(&versions));
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(stored));
    json_edit_set(&edit, JSON_PLACE("spec.versions"), json_doc_root(list));
    CHECK_OK(json_edit_finish(&edit, &doc));
    return doc;
}

TEST(a_definition_has_as_many_versions_as_discovery_can_bear)
{
    OWNED(json_doc) enough = with_versions(DEFINITION_VERSIONS_MAX);
    OWNED(json_doc) many = with_versions(DEFINITION_VERSIONS_MAX + 1);
    check_errors(enough, NULL, STR(""));
    check_errors(many, NULL, STR("spec.versions: Too many: 101: must have at most 100 items"));
}
