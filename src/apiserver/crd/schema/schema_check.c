/*
 * Checks that a schema is structural and valid, with the messages of Kubernetes.
 *
 * A structural schema gives every field one type, and uses allOf, anyOf, oneOf and not for
 * conditions on values only
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions,
 * "Specifying a structural schema"). Upstream:
 * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/validation.go and the schema part of
 * pkg/apis/apiextensions/validation/validation.go.
 *
 * schema_compile.c calls in two rounds. schema_check_node() runs right after a node was read and
 * sees its keywords. schema_check_parts() runs after all nodes were read and may look into
 * properties and items. It checks types of fields, list keys and defaults. The two rounds give the
 * errors the order of upstream's.
 *
 * To add a check on a keyword: forbid(), require() or invalid() in one of the check_...() functions
 * below.
 */
#include "apiserver/crd/schema/schema_internal.h"
#include "base/map.h"

/* A node in both forms: its JSON, for values that messages show, and compiled. */
struct check {
    const struct json_value *json;
    const struct schema_node *node;
    struct str path;
    struct field_errors *errors;
};

static const struct {
    struct str name;
    uint8_t type;
} types[] = {
    {STR_INIT("array"),   TYPE_ARRAY  },
    {STR_INIT("boolean"), TYPE_BOOLEAN},
    {STR_INIT("integer"), TYPE_INTEGER},
    {STR_INIT("number"),  TYPE_NUMBER },
    {STR_INIT("object"),  TYPE_OBJECT },
    {STR_INIT("string"),  TYPE_STRING },
};

bool schema_type_from_name(struct str name, uint8_t *ret_type)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_eq(types[i].name, name)) {
            *ret_type = types[i].type;
            return true;
        }
    return false;
}

/* The path of a keyword of the node. */
static struct str below(const struct check *check, const char *keyword)
{
    return arena_print(check->errors->arena, "%.*s.%s", STR_ARG(check->path), keyword);
}

/* The three functions add an error at the path of a keyword. */
static void forbid(const struct check *check, const char *keyword, const char *detail)
{
    field_errors_add(check->errors, FIELD_FORBIDDEN, below(check, keyword), str_from_c(detail));
}

static void require(const struct check *check, const char *keyword, const char *detail)
{
    field_errors_add(check->errors, FIELD_REQUIRED, below(check, keyword), str_from_c(detail));
}

static void invalid(const struct check *check, const char *keyword, const char *detail)
{
    field_errors_add_value(check->errors, FIELD_INVALID, below(check, keyword),
                           json_get(check->json, str_from_c(keyword)), str_from_c(detail));
}

static bool has(const struct check *check, const char *keyword)
{
    return json_get(check->json, str_from_c(keyword)) != NULL;
}

static struct str text_of(const struct check *check, const char *keyword)
{
    return json_to_str(json_get(check->json, str_from_c(keyword)));
}

static bool type_is(const struct check *check, const char *type)
{
    return str_eq(text_of(check, "type"), str_from_c(type));
}

/* An object or text without content, which means the same as an absent one. */
static bool is_empty(const struct check *check, const char *keyword)
{
    const struct json_value *value = json_get(check->json, str_from_c(keyword));
    return (json_type(value) == JSON_OBJECT && json_count(value) == 0) ||
           (json_type(value) == JSON_STRING && json_to_str(value).len == 0);
}

static bool is_true(const struct check *check, const char *keyword)
{
    bool truth = false;
    return json_to_bool(json_get(check->json, str_from_c(keyword)), &truth) && truth;
}

/* True if the keyword is there and false. */
static bool is_false(const struct check *check, const char *keyword)
{
    bool truth = true;
    return json_to_bool(json_get(check->json, str_from_c(keyword)), &truth) && !truth;
}

/* A type that does not exist has been reported already; it compiles to no type. */
static bool names_unknown_type(const struct json_value *json)
{
    uint8_t type;
    const struct str name = json_to_str(json_get(json, STR("type")));
    return name.len && !schema_type_from_name(name, &type);
}

/* Keywords of OpenAPI that structural schemas do not have. */
static void check_unsupported(const struct check *check)
{
    static const struct {
        const char *keyword, *detail;
    } unsupported[] = {
        {"$ref",              "$ref is not supported"             },
        {"definitions",       "definitions is not supported"      },
        {"dependencies",      "dependencies is not supported"     },
        {"patternProperties", "patternProperties is not supported"},
        {"additionalItems",   "additionalItems is not supported"  },
        {"id",                "id is not supported"               },
    };
    for (size_t i = 0; i < COUNT(unsupported); i++)
        if (has(check, unsupported[i].keyword) && !is_empty(check, unsupported[i].keyword))
            forbid(check, unsupported[i].keyword, unsupported[i].detail);
    if (is_true(check, "uniqueItems"))
        forbid(check, "uniqueItems",
               "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    if (is_false(check, "x-kubernetes-preserve-unknown-fields"))
        invalid(check, "x-kubernetes-preserve-unknown-fields", "must be true or undefined");
    if (type_is(check, "null"))
        forbid(check, "type", "type cannot be set to null, use nullable as an alternative");
    if (json_type(json_get(check->json, STR("items"))) == JSON_ARRAY)
        forbid(check, "items", "items must be a schema object and not an array");
}

/* A keyword whose value must be one of a few words. */
static void check_word(const struct check *check, const char *keyword, const struct str *words,
                       size_t count)
{
    const struct str text = text_of(check, keyword);
    if (!has(check, keyword))
        return;
    for (size_t i = 0; i < count; i++)
        if (str_eq(words[i], text))
            return;
    field_errors_add_not_supported(check->errors, below(check, keyword), text, words, count);
}

static void check_words(const struct check *check)
{
    static const struct str lists[] = {STR_INIT("atomic"), STR_INIT("set"), STR_INIT("map")};
    static const struct str maps[] = {STR_INIT("atomic"), STR_INIT("granular")};
    struct str names[COUNT(types)];
    for (size_t i = 0; i < COUNT(types); i++)
        names[i] = types[i].name;
    if (text_of(check, "type").len)
        check_word(check, "type", names, COUNT(names));
    check_word(check, "x-kubernetes-list-type", lists, COUNT(lists));
    check_word(check, "x-kubernetes-map-type", maps, COUNT(maps));
}

/* A keyword goes with one type only: another one is invalid, none is lacking. */
static void check_type_for(const struct check *check, const char *type, const char *detail)
{
    if (text_of(check, "type").len == 0)
        require(check, "type", detail);
    else if (!type_is(check, type))
        invalid(check, "type", detail);
}

/*
 * x-kubernetes-* keywords at a node whose type they do not belong to, or beside each other. Any
 * type may stand beside x-kubernetes-int-or-string and x-kubernetes-preserve-unknown-fields.
 */
static void check_extensions(const struct check *check)
{
    const struct schema_node *node = check->node;
    if (node->int_or_string && node->preserve)
        invalid(check, "x-kubernetes-preserve-unknown-fields",
                "must be false if x-kubernetes-int-or-string is true");
    if (node->int_or_string && node->embedded)
        invalid(check, "x-kubernetes-embedded-resource",
                "must be false if x-kubernetes-int-or-string is true");
    if (node->embedded)
        check_type_for(check, "object", "must be object if x-kubernetes-embedded-resource is true");
    if (node->embedded && has(check, "additionalProperties"))
        forbid(check, "additionalProperties",
               "must not be used if x-kubernetes-embedded-resource is set");
    if (node->embedded && !node->preserve && node->property_count == 0)
        require(check, "properties",
                "must not be empty if x-kubernetes-embedded-resource is true without "
                "x-kubernetes-preserve-unknown-fields");
    if (has(check, "x-kubernetes-map-type"))
        check_type_for(check, "object", "must be object if x-kubernetes-map-type is specified");
    if (has(check, "x-kubernetes-list-type"))
        check_type_for(check, "array", "must be array if x-kubernetes-list-type is specified");
}

/*
 * Below allOf, anyOf, oneOf and not there are conditions on values. Keywords that change values, or
 * that say which fields exist, are forbidden there.
 */
static void check_logic(const struct check *check, bool may_have_type)
{
    static const struct {
        const char *keyword, *detail;
    } shaping[] = {
        {"additionalProperties",                 "must be undefined to be structural"},
        {"default",                              "must be undefined to be structural"},
        {"title",                                "must be empty to be structural"    },
        {"description",                          "must be empty to be structural"    },
        {"nullable",                             "must be false to be structural"    },
        {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"    },
        {"x-kubernetes-embedded-resource",       "must be false to be structural"    },
        {"x-kubernetes-int-or-string",           "must be false to be structural"    },
        {"x-kubernetes-list-map-keys",           "must be empty to be structural"    },
        {"x-kubernetes-list-type",               "must be undefined to be structural"},
        {"x-kubernetes-map-type",                "must be undefined to be structural"},
        {"x-kubernetes-validations",             "must be empty to be structural"    },
    };
    if (text_of(check, "type").len && !may_have_type)
        forbid(check, "type", "must be empty to be structural");
    for (size_t i = 0; i < COUNT(shaping); i++) {
        const struct json_value *value = json_get(check->json, str_from_c(shaping[i].keyword));
        const bool is_list = json_type(value) == JSON_ARRAY;
        if (value && json_type(value) != JSON_NULL && !(is_list && json_count(value) == 0) &&
            !is_false(check, shaping[i].keyword) && !is_empty(check, shaping[i].keyword))
            forbid(check, shaping[i].keyword, shaping[i].detail);
    }
    if (schema_find_property(check->node, STR("metadata")))
        forbid(check, "properties[metadata]", "must not be specified in a nested context");
}

/* An array needs items; an object has properties or additionalProperties, not both. */
static void check_shape(const struct check *check)
{
    const struct schema_node *node = check->node;
    if (type_is(check, "array") && !has(check, "items"))
        require(check, "items", "must be specified");
    if (node->property_count && (node->additional || node->forbids_additional))
        forbid(check, "additionalProperties",
               "additionalProperties and properties are mutual exclusive");
}

/*
 * The fields that every object has: their types at the root and in embedded resources, and no more
 * than conditions on names in the metadata of the root.
 */
static void check_meta_fields(const struct check *check, bool is_root)
{
    static const struct {
        const char *name, *type, *detail;
    } fields[] = {
        {"kind",       "string", "must be string"},
        {"apiVersion", "string", "must be string"},
        {"metadata",   "object", "must be object"},
    };
    const struct json_value *properties = json_get(check->json, STR("properties"));
    if (!is_root && !check->node->embedded)
        return;
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct json_value *field = json_get(properties, str_from_c(fields[i].name));
        const struct json_value *type = json_get(field, STR("type"));
        if (field && !str_eq(json_to_str(type), str_from_c(fields[i].type)))
            field_errors_add_str(check->errors, FIELD_INVALID,
                                 arena_print(check->errors->arena, "%.*s.properties[%s].type",
                                             STR_ARG(check->path), fields[i].name),
                                 json_to_str(type), str_from_c(fields[i].detail));
    }
}

/* Whether an object has only names of the list. */
static bool has_only(const struct json_value *object, const struct str *names, size_t count)
{
    const struct json_value *value;
    JSON_FOREACH (name, value, object) {
        size_t i = 0;
        while (i < count && !str_eq(names[i], name))
            i++;
        if (i == count)
            return false;
    }
    return true;
}

/* The metadata of the root is known: a schema may set conditions on its names, and nothing else. */
static void check_root_metadata(const struct check *check)
{
    static const struct str keywords[] = {STR_INIT("type"), STR_INIT("default"),
                                          STR_INIT("properties")};
    static const struct str names[] = {STR_INIT("name"), STR_INIT("generateName")};
    const struct json_value *metadata =
        json_get(json_get(check->json, STR("properties")), STR("metadata"));
    if (!has_only(metadata, keywords, COUNT(keywords)) ||
        !has_only(json_get(metadata, STR("properties")), names, COUNT(names)))
        forbid(check, "properties[metadata]",
               "must not specify anything other than name and generateName, but metadata is "
               "implicitly specified");
}

void schema_check_root(const struct json_value *json, const struct schema_node *node,
                       struct str path, struct field_errors *errors)
{
    const struct check check = {json, node, path, errors};
    if (text_of(&check, "type").len == 0 && !node->preserve && !node->int_or_string)
        require(&check, "type", "must not be empty at the root");
    if (text_of(&check, "type").len && !names_unknown_type(json) && !type_is(&check, "object"))
        invalid(&check, "type", "must be object at the root");
    if (has(&check, "additionalProperties"))
        forbid(&check, "additionalProperties", "must not be used at the root");
    if (node->nullable)
        forbid(&check, "nullable", "nullable cannot be true at the root");
    check_meta_fields(&check, true);
    check_root_metadata(&check);
}

void schema_check_node(const struct json_value *json, const struct schema_node *node,
                       struct str path, bool may_have_type, struct field_errors *errors)
{
    const struct check check = {json, node, path, errors};
    check_unsupported(&check);
    check_words(&check);
    if (node->is_logic) {
        check_logic(&check, may_have_type);
        return;
    }
    check_extensions(&check);
    check_shape(&check);
    check_meta_fields(&check, false);
}

/* Parts: only now is it known what stands in them. */

/*
 * A part of an object or array needs a type. x-kubernetes-preserve-unknown-fields and int-or-string
 * do without; the latter has types in its compiled form. An embedded resource without a type has
 * been reported already.
 */
static bool lacks_type(const struct check *check, const struct schema_node *part)
{
    return part && !part->types && !part->preserve && !part->embedded &&
           !field_errors_is_full(check->errors);
}

static void require_type(const struct check *check, struct str place, const char *detail)
{
    field_errors_add(
        check->errors, FIELD_REQUIRED,
        arena_print(check->errors->arena, "%.*s.%.*s.type", STR_ARG(check->path), STR_ARG(place)),
        str_from_c(detail));
}

static void check_types(const struct check *check)
{
    struct arena *arena = check->errors->arena;
    const struct schema_node *node = check->node;
    const struct json_value *properties = json_get(check->json, STR("properties"));
    for (size_t i = 0; i < node->property_count; i++) {
        const struct str name = node->properties[i].name;
        if (lacks_type(check, node->properties[i].node) &&
            !names_unknown_type(json_get(properties, name)))
            require_type(check, arena_print(arena, "properties[%.*s]", STR_ARG(name)),
                         "must not be empty for specified object fields");
    }
    if (lacks_type(check, node->additional) &&
        !names_unknown_type(json_get(check->json, STR("additionalProperties"))))
        require_type(check, STR("additionalProperties"),
                     "must not be empty for specified object fields");
    if (lacks_type(check, node->items) && !names_unknown_type(json_get(check->json, STR("items"))))
        require_type(check, STR("items"), "must not be empty for specified array items");
}

/*
 * A key of a list of type map is a scalar property of its items, and always there: required, or
 * with a default.
 */
static void check_list_key(const struct check *check, size_t index, const struct map *required)
{
    struct arena *arena = check->errors->arena;
    const struct schema_node *items = check->node->items;
    const struct str key = check->node->list_keys.items[index];
    const struct schema_property *property = schema_find_property(items, key);
    if (!property) {
        field_errors_add_str(
            check->errors, FIELD_INVALID,
            arena_print(arena, "%.*s.x-kubernetes-list-map-keys[%zu]", STR_ARG(check->path), index),
            key, STR("entries must all be names of item properties"));
        return;
    }
    const struct str path =
        arena_print(arena, "%.*s.items.properties[%.*s]", STR_ARG(check->path), STR_ARG(key));
    if (property->node->types & (TYPE_ARRAY | TYPE_OBJECT))
        field_errors_add_str(
            check->errors, FIELD_INVALID, arena_print(arena, "%.*s.type", STR_ARG(path)),
            property->node->types == TYPE_ARRAY ? STR("array") : STR("object"),
            STR("must be a scalar type if parent array's x-kubernetes-list-type is map"));
    if (!property->node->default_value && !map_has(required, key))
        field_errors_add(check->errors, FIELD_REQUIRED,
                         arena_print(arena, "%.*s.default", STR_ARG(path)),
                         STR("this property is in x-kubernetes-list-map-keys, so it must have a "
                             "default or be a required property"));
}

static void check_list_map(const struct check *check)
{
    const struct schema_node *node = check->node;
    if (node->list_type != SCHEMA_LIST_MAP) {
        const char *detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        if (node->list_keys.count && !has(check, "x-kubernetes-list-type"))
            require(check, "x-kubernetes-list-type", detail);
        else if (node->list_keys.count)
            invalid(check, "x-kubernetes-list-type", detail);
        return;
    }
    if (node->list_keys.count == 0)
        require(check, "x-kubernetes-list-map-keys",
                "must not be empty if x-kubernetes-list-type is map");
    if (!node->items)
        return;
    if (node->items->types != TYPE_OBJECT)
        field_errors_add_value(
            check->errors, FIELD_INVALID, below(check, "items.type"),
            json_get(json_get(check->json, STR("items")), STR("type")),
            STR("must be object if parent array's x-kubernetes-list-type is map"));
    SCOPED(map) required = {.release = NULL};
    for (size_t i = 0; i < node->items->required.count; i++)
        map_put(&required, node->items->required.items[i], NULL);
    for (size_t i = 0; i < node->list_keys.count; i++)
        check_list_key(check, i, &required);
}

/* Elements of a set are compared as a whole, so they must be atomic and not null. */
static void check_list_set(const struct check *check)
{
    const struct schema_node *items = check->node->items;
    const struct str detail =
        STR("must be atomic as item of a list with x-kubernetes-list-type=set");
    if (check->node->list_type != SCHEMA_LIST_SET || !items)
        return;
    const struct json_value *json = json_get(check->json, STR("items"));
    if (items->nullable)
        forbid(check, "items.nullable", "cannot be nullable when x-kubernetes-list-type is set");
    if (items->types == TYPE_OBJECT && !items->atomic_map)
        field_errors_add_value(check->errors, FIELD_INVALID,
                               below(check, "items.x-kubernetes-map-type"),
                               json_get(json, STR("x-kubernetes-map-type")), detail);
    if (items->types == TYPE_ARRAY && items->list_type != SCHEMA_LIST_ATOMIC)
        field_errors_add_value(check->errors, FIELD_INVALID,
                               below(check, "items.x-kubernetes-list-type"),
                               json_get(json, STR("x-kubernetes-list-type")), detail);
}

/* A default is pruned and valid itself. It is validated only if it has no unknown fields. */
static void check_default(const struct check *check)
{
    const struct json_value *value = check->node->default_value;
    if (!value || check->node->is_below_additional)
        return;
    const size_t before = check->errors->count;
    const struct str path = below(check, "default");
    if (schema_has_unknown(check->node, value))
        field_errors_add_value(check->errors, FIELD_INVALID, path, value,
                               STR("must not have unknown fields"));
    if (check->errors->count == before)
        schema_validate_value(check->node, value, path, check->errors);
}

void schema_check_parts(const struct json_value *json, const struct schema_node *node,
                        struct str path, struct field_errors *errors)
{
    const struct check check = {json, node, path, errors};
    if (node->is_logic)
        return;
    check_types(&check);
    check_list_map(&check);
    check_list_set(&check);
    check_default(&check);
}
