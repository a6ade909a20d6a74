/*
 * Validation of the rules of a schema (x-kubernetes-validations): that their texts are complete,
 * that reasons exist, and that expressions can be CEL (cel_syntax.h). Types and costs of
 * expressions, which Kubernetes checks too, are not checked.
 *
 * Rules may stand at every node of a schema. The nodes wait in a list, so that a deep schema costs
 * no stack. The list is used as a stack; the order of errors is therefore that of the last node
 * first. Upstream: ValidateCustomResourceDefinitionOpenAPISchema() in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
#include "apiserver/crd/cel_syntax.h"
#include "apiserver/crd/definition_internal.h"
#include "apiserver/crd/schema/schema.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/builder.h"
#include "json/path.h"

/* A rule as messages show it: Go's struct ValidationRule, with the names of its fields. */
static struct json_doc *shown_rule(const struct json_value *rule)
{
    SCOPED(json_builder) out = {.limit = 0};
    struct json_doc *doc = NULL;
    json_builder_object(&out);
    json_builder_add_str(&out, "Rule", json_path_str(rule, "rule"));
    json_builder_add_str(&out, "Message", json_path_str(rule, "message"));
    json_builder_add_str(&out, "MessageExpression", json_path_str(rule, "messageExpression"));
    json_builder_add_value(&out, "Reason", json_get(rule, STR("reason")));
    json_builder_add_str(&out, "FieldPath", json_path_str(rule, "fieldPath"));
    json_builder_add_value(&out, "OptionalOldSelf", json_get(rule, STR("optionalOldSelf")));
    json_builder_end(&out);
    error_free(json_builder_finish(&out, &doc));
    return doc;
}

static bool has_line_breaks(struct str text)
{
    return str_find_char(text, '\n') != STR_NONE || str_find_char(text, '\r') != STR_NONE;
}

static void check_expression(const struct json_value *rule, struct str text, struct str field,
                             const char *before, struct field_errors *errors)
{
    struct cel_syntax_error err;
    if (text.len == 0 || cel_syntax_check(text, &err))
        return;
    OWNED(json_doc) shown = shown_rule(rule);
    field_errors_add_value(errors, FIELD_INVALID, field, json_doc_root(shown),
                           arena_print(errors->arena,
                                       "%scompilation failed: ERROR: <input>:%zu:%zu: Syntax "
                                       "error: %s",
                                       before, err.line, err.column, err.message));
}

/* Only the first problem of rule and message is reported; the other members are independent. */
static void check_texts(const struct json_value *rule, struct str path, struct field_errors *errors)
{
    struct arena *arena = errors->arena;
    const struct str message = json_path_str(rule, "message");
    const struct str expression = json_path_str(rule, "messageExpression");
    const struct str field_path = json_path_str(rule, "fieldPath");
    const struct str text = str_trim(json_path_str(rule, "rule"));
    const struct str field = arena_print(arena, "%.*s.message", STR_ARG(path));
    if (text.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, arena_print(arena, "%.*s.rule", STR_ARG(path)),
                         STR("rule is not specified"));
    else if (message.len > 0 && str_trim(message).len == 0)
        field_errors_add_str(errors, FIELD_INVALID, field, message,
                             STR("message must be non-empty if specified"));
    else if (has_line_breaks(str_trim(message)))
        field_errors_add_str(errors, FIELD_INVALID, field, message,
                             STR("message must not contain line breaks"));
    else if (has_line_breaks(text) && message.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, field,
                         STR("message must be specified if rule contains line breaks"));
    if (expression.len > 0 && str_trim(expression).len == 0)
        field_errors_add(errors, FIELD_REQUIRED,
                         arena_print(arena, "%.*s.messageExpression", STR_ARG(path)),
                         STR("messageExpression must be non-empty if specified"));
    if (field_path.len > 0 && (str_trim(field_path).len == 0 || has_line_breaks(field_path)))
        field_errors_add_str(
            errors, FIELD_INVALID, arena_print(arena, "%.*s.fieldPath", STR_ARG(path)), field_path,
            has_line_breaks(field_path) ? STR("fieldPath must not contain line breaks")
                                        : STR("fieldPath must be non-empty if specified"));
}

static void check_reason(const struct json_value *rule, struct str path,
                         struct field_errors *errors)
{
    static const struct str reasons[] = {
        STR_INIT("FieldValueDuplicate"), STR_INIT("FieldValueForbidden"),
        STR_INIT("FieldValueInvalid"), STR_INIT("FieldValueRequired")};
    const struct json_value *reason = json_get(rule, STR("reason"));
    if (json_type(reason) != JSON_STRING)
        return;
    for (size_t i = 0; i < COUNT(reasons); i++)
        if (str_eq(json_to_str(reason), reasons[i]))
            return;
    field_errors_add_not_supported(errors, arena_print(errors->arena, "%.*s.reason", STR_ARG(path)),
                                   json_to_str(reason), reasons, COUNT(reasons));
}

static void check_rules(const struct json_value *node, struct str path, struct field_errors *errors)
{
    const struct json_value *rule;
    size_t index = 0;
    JSON_FOREACH (key, rule, json_get(node, STR("x-kubernetes-validations"))) {
        struct arena *arena = errors->arena;
        const struct str field =
            arena_print(arena, "%.*s.x-kubernetes-validations[%zu]", STR_ARG(path), index++);
        check_texts(rule, field, errors);
        check_reason(rule, field, errors);
        check_expression(rule, str_trim(json_path_str(rule, "rule")),
                         arena_print(arena, "%.*s.rule", STR_ARG(field)), "", errors);
        check_expression(rule, str_trim(json_path_str(rule, "messageExpression")),
                         arena_print(arena, "%.*s.messageExpression", STR_ARG(field)),
                         "messageExpression ", errors);
    }
}

/* A node of the schema whose rules have not been checked. */
struct pending {
    const struct json_value *node;
    struct str path;
};

struct pending_list {
    struct pending *items;
    size_t count, capacity;
    struct arena arena; /* of the paths */
};

static void pending_list_done(struct pending_list *list)
{
    mem_free(list->items);
    arena_done(&list->arena);
}

/* Adds a node, unless the keyword is absent or no schema: additionalProperties may be a boolean. */
static void add_pending(struct pending_list *list, const struct json_value *node, struct str path)
{
    if (json_type(node) != JSON_OBJECT)
        return;
    ARRAY_PUSH(list->items, list->count, list->capacity, (struct pending){node, path});
}

/* The nodes below one, without their paths. */
static void add_below(struct pending_list *list, const struct json_value *node)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_get(node, STR("properties")))
        add_pending(list, value, STR(""));
    add_pending(list, json_get(node, STR("items")), STR(""));
    add_pending(list, json_get(node, STR("additionalProperties")), STR(""));
}

bool definition_has_rules(const struct json_value *definition)
{
    SCOPED(pending_list) list = {.items = NULL};
    const struct json_value *version;
    JSON_FOREACH (key, version, json_path(definition, "spec.versions"))
        add_pending(&list, json_path(version, "schema.openAPIV3Schema"), STR(""));
    while (list.count > 0) {
        const struct json_value *node = list.items[--list.count].node;
        if (json_count(json_get(node, STR("x-kubernetes-validations"))))
            return true;
        add_below(&list, node);
    }
    return false;
}

void definition_check_rules(const struct json_value *openapi, struct str path,
                            struct field_errors *errors)
{
    SCOPED(pending_list) list = {.items = NULL};
    const struct json_value *value;
    add_pending(&list, openapi, path);
    while (list.count > 0 && !field_errors_is_full(errors)) {
        const struct pending at = list.items[--list.count];
        const struct str around = schema_path_around(at.path);
        check_rules(at.node, around, errors);
        JSON_FOREACH (key, value, json_get(at.node, STR("properties")))
            add_pending(
                &list, value,
                arena_print(&list.arena, "%.*s.properties[%.*s]", STR_ARG(around), STR_ARG(key)));
        add_pending(&list, json_get(at.node, STR("items")),
                    arena_print(&list.arena, "%.*s.items", STR_ARG(around)));
        add_pending(&list, json_get(at.node, STR("additionalProperties")),
                    arena_print(&list.arena, "%.*s.additionalProperties", STR_ARG(around)));
    }
}
