/*
 * Validation of the four parts of a version: schema, subresources, printer columns and selectable
 * fields. Each function is called with the path of the part, be it a version's own or the shared
 * one; see definition_validate.c. Upstream: ValidateCustomResourceDefinitionSubresources(),
 * ValidateCustomResourceColumnDefinition() and their neighbours in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
#include "apiserver/crd/definition_internal.h"
#include "apiserver/crd/schema/schema.h"
#include "json/path.h"

/*
 * Keywords that are allowed at the root of a schema with /status. A write to /status is validated
 * against the schema of the status alone, which would lose any other keyword of the root.
 */
static bool is_allowed_at_root(struct str keyword)
{
    static const struct str allowed[] = {
        STR_INIT("description"),
        STR_INIT("type"),
        STR_INIT("format"),
        STR_INIT("title"),
        STR_INIT("maximum"),
        STR_INIT("exclusiveMaximum"),
        STR_INIT("minimum"),
        STR_INIT("exclusiveMinimum"),
        STR_INIT("maxLength"),
        STR_INIT("minLength"),
        STR_INIT("pattern"),
        STR_INIT("maxItems"),
        STR_INIT("minItems"),
        STR_INIT("uniqueItems"),
        STR_INIT("multipleOf"),
        STR_INIT("required"),
        STR_INIT("items"),
        STR_INIT("properties"),
        STR_INIT("externalDocs"),
        STR_INIT("example"),
        STR_INIT("x-kubernetes-preserve-unknown-fields"),
        STR_INIT("x-kubernetes-validations"),
    };
    for (size_t i = 0; i < COUNT(allowed); i++)
        if (str_eq(keyword, allowed[i]))
            return true;
    return false;
}

/*
 * Restrictions on the root of a schema with /status. Only the first forbidden keyword is reported,
 * with the whole schema.
 */
static void check_root(const struct json_value *openapi, struct str path,
                       struct field_errors *errors)
{
    const struct json_value *value;
    const struct str type = json_path_str(openapi, "type");
    if (type.len > 0 && !str_eq(type, STR("object"))) {
        field_errors_add_str(errors, FIELD_INVALID, definition_path(errors, path, "type"), type,
                             STR("only \"object\" is allowed as the type at the root of the schema "
                                 "if the status subresource is enabled"));
        return;
    }
    JSON_FOREACH (keyword, value, openapi)
        if (!is_allowed_at_root(keyword)) {
            field_errors_add_value(
                errors, FIELD_INVALID, path, openapi,
                STR("only [Description Type Format Title Maximum ExclusiveMaximum Minimum "
                    "ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems "
                    "MultipleOf Required Items Properties ExternalDocs Example "
                    "XPreserveUnknownFields XValidations] fields are allowed at the root of the "
                    "schema if the status subresource is enabled"));
            return;
        }
}

/* Rules are checked only in a schema that compiles: a broken node has no reliable path. */
void definition_check_schema(const struct json_value *schema, bool has_status, struct str path,
                             struct field_errors *errors)
{
    const struct json_value *openapi = json_get(schema, STR("openAPIV3Schema"));
    const struct str field = definition_path(errors, path, "openAPIV3Schema");
    if (json_type(openapi) != JSON_OBJECT)
        return;
    if (has_status)
        check_root(openapi, field, errors);
    OWNED(schema) compiled = schema_compile(openapi, field, errors);
    if (compiled)
        definition_check_rules(openapi, field, errors);
}

/* Only the leading dot is checked, as upstream. The value is not empty. */
static bool check_simple_path(struct str value, struct str path, struct field_errors *errors)
{
    if (value.ptr[0] == '.')
        return true;
    field_errors_add_str(errors, FIELD_INVALID, path, value,
                         STR("must be a simple json path starting with ."));
    return false;
}

/* specReplicasPath and statusReplicasPath are required, below .spec and .status. */
static void check_scale_path(const struct json_value *scale, const char *name, const char *below,
                             const char *detail, struct str path, struct field_errors *errors)
{
    const struct str value = json_path_str(scale, name);
    const struct str field = definition_path(errors, path, name);
    if (value.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, field, STR(""));
    else if (check_simple_path(value, field, errors) && !str_starts_with(value, str_from_c(below)))
        field_errors_add_str(errors, FIELD_INVALID, field, value, str_from_c(detail));
}

void definition_check_subresources(const struct json_value *subresources, struct str path,
                                   struct field_errors *errors)
{
    const struct json_value *scale = json_get(subresources, STR("scale"));
    const struct str selector = json_path_str(scale, "labelSelectorPath");
    const struct str field = definition_path(errors, path, "scale");
    if (json_type(scale) != JSON_OBJECT)
        return;
    check_scale_path(scale, "specReplicasPath", ".spec.", "should be a json path under .spec",
                     field, errors);
    check_scale_path(scale, "statusReplicasPath", ".status.", "should be a json path under .status",
                     field, errors);
    if (selector.len > 0 &&
        check_simple_path(selector, definition_path(errors, field, "labelSelectorPath"), errors) &&
        !str_starts_with(selector, STR(".spec.")) && !str_starts_with(selector, STR(".status.")))
        field_errors_add_str(errors, FIELD_INVALID,
                             definition_path(errors, field, "labelSelectorPath"), selector,
                             STR("should be a json path under either .status or .spec"));
}

/* Whether a value is an element of a list that is separated by commas. */
static bool is_one_of(struct str value, struct str list)
{
    struct str item;
    while (list.len > 0) {
        str_cut(&list, ',', &item);
        if (str_eq(item, value))
            return true;
    }
    return false;
}

/* Each looks through the whole of every object that a Table shows. Kubernetes has no limit. */
#define COLUMNS_MAX 64

/* The path of jsonPath in messages is JSONPath, the name in the internal type. */
static void check_column(const struct json_value *column, struct str path,
                         struct field_errors *errors)
{
    static const struct str types = STR_INIT("boolean,date,integer,number,string");
    static const struct str formats =
        STR_INIT("byte,date,date-time,double,float,int32,int64,password");
    const struct str type = json_path_str(column, "type");
    const struct str format = json_path_str(column, "format");
    const struct str json_path_text = json_path_str(column, "jsonPath");
    struct arena *arena = errors->arena;
    if (json_path_str(column, "name").len == 0)
        field_errors_add(errors, FIELD_REQUIRED, definition_path(errors, path, "name"), STR(""));
    const struct str detail = arena_print(arena, "must be one of %.*s", STR_ARG(types));
    if (type.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, definition_path(errors, path, "type"), detail);
    else if (!is_one_of(type, types))
        field_errors_add_str(errors, FIELD_INVALID, definition_path(errors, path, "type"), type,
                             detail);
    if (format.len > 0 && !is_one_of(format, formats))
        field_errors_add_str(errors, FIELD_INVALID, definition_path(errors, path, "format"), format,
                             arena_print(arena, "must be one of %.*s", STR_ARG(formats)));
    if (json_path_text.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, definition_path(errors, path, "JSONPath"),
                         STR(""));
    else
        check_simple_path(json_path_text, definition_path(errors, path, "JSONPath"), errors);
}

void definition_check_columns(const struct json_value *columns, struct str path,
                              struct field_errors *errors)
{
    const struct json_value *column;
    size_t index = 0;
    if (json_count(columns) > COLUMNS_MAX) {
        field_errors_add_too_many(errors, path, json_count(columns), COLUMNS_MAX);
        return;
    }
    JSON_FOREACH (key, column, columns)
        check_column(column, definition_path_index(errors, path, index++), errors);
}

/* The schema of the field that a path of plain names leads to; NULL when there is none. */
static const struct json_value *find_property(const struct json_value *node, struct str path)
{
    struct str name;
    bool more = true;
    if (path.len < 2 || path.ptr[0] != '.')
        return NULL;
    path = str_skip(path, 1);
    while (more && node) {
        more = str_cut(&path, '.', &name);
        node = json_get(json_get(node, STR("properties")), name);
    }
    return node;
}

/* A selectable field is a scalar that the schema describes, outside of metadata. */
static void check_selectable(const struct json_value *openapi, struct str value, struct str path,
                             struct field_errors *errors)
{
    const struct json_value *node = find_property(openapi, value);
    const struct str type = json_path_str(node, "type");
    if (value.len == 0) {
        field_errors_add(errors, FIELD_REQUIRED, path, STR(""));
        return;
    }
    if (!node) {
        field_errors_add_str(errors, FIELD_INVALID, path, value,
                             STR("is an invalid path: does not refer to a valid field"));
        return;
    }
    if (str_eq(value, STR(".metadata")) || str_starts_with(value, STR(".metadata.")))
        field_errors_add_str(errors, FIELD_INVALID, path, value,
                             STR("must not point to fields in metadata"));
    if (!str_eq(type, STR("string")) && !str_eq(type, STR("boolean")) &&
        !str_eq(type, STR("integer")))
        field_errors_add_str(errors, FIELD_INVALID, path, value,
                             STR("must point to a field of type string, boolean or integer. Enum "
                                 "string fields and strings with formats are allowed."));
}

/* Whether one of the first `index` fields has the same path. */
static bool is_repeated(const struct json_value *fields, size_t index, struct str path)
{
    const struct json_value *field;
    size_t i = 0;
    JSON_FOREACH (key, field, fields)
        if (i++ < index && str_eq(json_path_str(field, "jsonPath"), path))
            return true;
    return false;
}

#define SELECTABLE_FIELDS_MAX 8

/* The limit counts each valid path once. */
void definition_check_selectable(const struct json_value *fields, const struct json_value *schema,
                                 struct str path, struct field_errors *errors)
{
    const struct json_value *openapi = json_get(schema, STR("openAPIV3Schema")), *field;
    size_t index = 0, unique = 0;
    if (json_count(fields) > 0 && json_type(openapi) != JSON_OBJECT) {
        field_errors_add_str(errors, FIELD_INVALID, path, STR(""),
                             STR("may only be set when validations.schema is included"));
        return;
    }
    if (json_count(fields) > FIELD_ERRORS_MAX) {
        field_errors_add_too_many(errors, path, json_count(fields), SELECTABLE_FIELDS_MAX);
        return;
    }
    JSON_FOREACH (key, field, fields) {
        const struct str value = json_path_str(field, "jsonPath");
        const struct str place =
            definition_path(errors, definition_path_index(errors, path, index), "jsonPath");
        check_selectable(openapi, value, place, errors);
        if (find_property(openapi, value) && is_repeated(fields, index, value))
            field_errors_add_str(errors, FIELD_DUPLICATE, place, value, STR(""));
        else if (find_property(openapi, value))
            unique++;
        index++;
    }
    if (unique > SELECTABLE_FIELDS_MAX)
        field_errors_add_too_many(errors, path, unique, SELECTABLE_FIELDS_MAX);
}
