/*
 * Compiles an openAPIV3Schema to a tree of struct schema_node.
 *
 * compile_all() keeps a list of nodes in breadth-first order. It starts with the root; reading a
 * node allocates its properties, items and conditions and appends them to the list, until the list
 * has been read to its end. A deep schema therefore costs no stack. After that place_constants()
 * fills in values, and schema_check.c looks at every node a second time.
 *
 * Values of enum and default must outlive the definition's document. keep_value() adds them to one
 * document of constants and remembers the pointer that shall point to each; place_constants() sets
 * these pointers once the document is complete, because a document's values do not exist before.
 *
 * Paths live in the arena of the errors and serve messages only. Upstream: NewStructural() in
 * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/convert.go.
 *
 * To add a keyword: a member of struct schema_node or struct schema_limits, one line in read_node()
 * or read_limits() (with its name in has_limits()), and its checks in schema_check.c.
 */
#include "apiserver/crd/schema/schema_internal.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/builder.h"

/* Counted repetition makes large programs of short patterns: this much is 12 MB for a schema. */
#define PATTERN_STEPS_MAX ((size_t)1000 * 1000)

#define PATH_AROUND_MAX 1024

#define ENUM_SORTED_MIN 16

/*
 * A node that is allocated and in the list. The depth counts nodes around it; logic counts allOf,
 * anyOf, oneOf and not around it. is_first_all_of: the first condition of the allOf of a node that
 * is none itself. may_have_type: one of the two conditions that say "integer or string".
 */
struct pending {
    const struct json_value *json;
    struct schema_node *node;
    struct str path;
    unsigned depth, logic;
    bool is_first_all_of, may_have_type;
};

struct pending_list {
    struct pending *items;
    size_t count, capacity;
};

/* The values of enum and default, one array in the builder, and for each the pointer to it. */
struct constants {
    struct json_builder builder;
    const struct json_value ***places;
    size_t count, capacity;
};

struct compile {
    struct schema *schema;
    struct field_errors *errors;
    size_t pattern_steps;        /* of all patterns so far */
    struct pending_list pending; /* all nodes in the order of reading; none is removed */
    struct constants constants;
};

static void compile_done(struct compile *compile)
{
    mem_free(compile->pending.items);
    mem_free(compile->constants.places);
    json_builder_done(&compile->constants.builder);
    schema_free(compile->schema);
}

struct str schema_path_around(struct str path)
{
    return str_slice(path, 0, path.len < PATH_AROUND_MAX ? path.len : PATH_AROUND_MAX);
}

static void pending_add(struct pending_list *list, struct pending item)
{
    ARRAY_PUSH(list->items, list->count, list->capacity, item);
}

static void keep_value(struct compile *compile, const struct json_value *value,
                       const struct json_value **place)
{
    struct constants *constants = &compile->constants;
    if (json_type(value) == JSON_ABSENT)
        return;
    ARRAY_PUSH(constants->places, constants->count, constants->capacity, place);
    json_builder_value(&constants->builder, value);
}

/*
 * Allocates the node of a part and appends it to the list. Below the maximal depth the error
 * replaces the node's content.
 */
static const struct schema_node *add_part(struct compile *compile, const struct pending *of,
                                          const struct json_value *json, const char *keyword,
                                          struct str name)
{
    struct schema_node *node = ARENA_NEW(&compile->schema->arena, struct schema_node);
    struct arena *arena = compile->errors->arena;
    const struct str around = schema_path_around(of->path);
    const struct str path =
        name.ptr ? arena_print(arena, "%.*s.%s[%.*s]", STR_ARG(around), keyword, STR_ARG(name))
                 : arena_print(arena, "%.*s.%s", STR_ARG(around), keyword);
    node->is_logic = of->node->is_logic;
    node->is_below_additional =
        of->node->is_below_additional || strcmp(keyword, "additionalProperties") == 0;
    if (of->depth == SCHEMA_DEPTH_MAX)
        field_errors_add(compile->errors, FIELD_FORBIDDEN, path, STR("nests too deeply"));
    else
        pending_add(&compile->pending, (struct pending){.json = json,
                                                        .node = node,
                                                        .path = path,
                                                        .depth = of->depth + 1,
                                                        .logic = of->logic});
    return node;
}

static bool read_bool(const struct json_value *json, const char *name)
{
    bool truth = false;
    return json_to_bool(json_get(json, str_from_c(name)), &truth) && truth;
}

/* -1 when the keyword is absent or not a whole number. */
static int64_t read_size(const struct json_value *json, const char *name)
{
    int64_t size = -1;
    return json_to_int64(json_get(json, str_from_c(name)), &size) ? size : -1;
}

static struct schema_names read_names(struct compile *compile, const struct json_value *list)
{
    struct arena *arena = &compile->schema->arena;
    struct schema_names names = {
        .items = arena_alloc_array(arena, json_count(list), sizeof(struct str))};
    const struct json_value *value;
    JSON_FOREACH (key, value, list)
        if (json_type(value) == JSON_STRING)
            names.items[names.count++] = arena_str(arena, json_to_str(value));
    return names;
}

static int property_cmp(const void *a, const void *b)
{
    const struct schema_property *x = a, *y = b;
    return str_cmp(x->name, y->name);
}

static void read_properties(struct compile *compile, const struct pending *of)
{
    struct arena *arena = &compile->schema->arena;
    const struct json_value *value, *properties = json_get(of->json, STR("properties"));
    if (json_type(properties) != JSON_OBJECT || json_count(properties) == 0)
        return;
    struct schema_property *items =
        arena_alloc_array(arena, json_count(properties), sizeof(items[0]));
    size_t count = 0;
    JSON_FOREACH (key, value, properties) {
        items[count].name = arena_str(arena, key);
        items[count++].node = add_part(compile, of, value, "properties", key);
    }
    qsort(items, count, sizeof(items[0]), property_cmp);
    of->node->properties = items;
    of->node->property_count = count;
}

static void read_containers(struct compile *compile, const struct pending *of)
{
    const struct json_value *items = json_get(of->json, STR("items"));
    const struct json_value *additional = json_get(of->json, STR("additionalProperties"));
    read_properties(compile, of);
    if (json_type(items) == JSON_OBJECT)
        of->node->items = add_part(compile, of, items, "items", (struct str){NULL, 0});
    if (json_type(additional) == JSON_OBJECT)
        of->node->additional =
            add_part(compile, of, additional, "additionalProperties", (struct str){NULL, 0});
    of->node->allows_additional = read_bool(of->json, "additionalProperties");
    of->node->forbids_additional =
        json_type(additional) == JSON_BOOL && !of->node->allows_additional;
    of->node->required = read_names(compile, json_get(of->json, STR("required")));
}

/*
 * Adds a condition of allOf, anyOf, oneOf or not. Everything below it is marked as is_logic.
 * Conditions that nest too deeply take the path of schemas that do.
 */
static const struct schema_node *add_logic(struct compile *compile, const struct pending *of,
                                           const struct json_value *json, const char *keyword,
                                           struct str index)
{
    struct pending around = *of;
    struct schema_node marked = {.is_logic = true};
    around.node = &marked; /* add_part() copies is_logic from here */
    if (++around.logic > SCHEMA_LOGIC_MAX)
        around.depth = SCHEMA_DEPTH_MAX;
    return add_part(compile, &around, json, keyword, index);
}

static bool is_only_type(const struct json_value *condition, struct str type)
{
    return json_type(condition) == JSON_OBJECT && json_count(condition) == 1 &&
           str_eq(json_to_str(json_get(condition, STR("type"))), type);
}

/*
 * {"anyOf":[{"type":"integer"},{"type":"string"}]} is how an int-or-string is often written, and
 * [{"anyOf":…}, …] as its allOf where there are more conditions. Nowhere else does a condition have
 * a type.
 */
static bool is_int_or_string_any_of(const struct pending *of, const char *keyword,
                                    const struct json_value *list)
{
    return strcmp(keyword, "anyOf") == 0 && (!of->node->is_logic || of->is_first_all_of) &&
           json_count(list) == 2 && is_only_type(json_at(list, 0), STR("integer")) &&
           is_only_type(json_at(list, 1), STR("string"));
}

static struct schema_nodes read_logic(struct compile *compile, const struct pending *of,
                                      const char *keyword)
{
    const struct json_value *value, *list = json_get(of->json, str_from_c(keyword));
    struct schema_nodes nodes = {.items = NULL};
    const bool may_have_type = is_int_or_string_any_of(of, keyword, list);
    if (json_type(list) != JSON_ARRAY || json_count(list) == 0)
        return nodes;
    nodes.items =
        arena_alloc_array(&compile->schema->arena, json_count(list), sizeof(nodes.items[0]));
    JSON_FOREACH (key, value, list) {
        char index[24];
        const int len = snprintf(index, sizeof(index), "%zu", nodes.count);
        const size_t before = compile->pending.count;
        const bool is_first_all_of =
            nodes.count == 0 && !of->node->is_logic && strcmp(keyword, "allOf") == 0;
        nodes.items[nodes.count++] =
            add_logic(compile, of, value, keyword, str_from(index, (size_t)len));
        if (compile->pending.count == before)
            continue; /* it nests too deeply */
        compile->pending.items[before].is_first_all_of = is_first_all_of;
        compile->pending.items[before].may_have_type = may_have_type;
    }
    return nodes;
}

static void read_numbers(const struct json_value *json, struct schema_limits *limits)
{
    limits->has_minimum = json_to_double(json_get(json, STR("minimum")), &limits->minimum);
    limits->has_maximum = json_to_double(json_get(json, STR("maximum")), &limits->maximum);
    limits->has_multiple_of =
        json_to_double(json_get(json, STR("multipleOf")), &limits->multiple_of);
    limits->exclusive_minimum = read_bool(json, "exclusiveMinimum");
    limits->exclusive_maximum = read_bool(json, "exclusiveMaximum");
    limits->min_length = read_size(json, "minLength");
    limits->max_length = read_size(json, "maxLength");
    limits->min_items = read_size(json, "minItems");
    limits->max_items = read_size(json, "maxItems");
    limits->min_properties = read_size(json, "minProperties");
    limits->max_properties = read_size(json, "maxProperties");
}

/* The pattern is compiled into the schema's arena, so that validation does not parse it. */
static void read_pattern(struct compile *compile, const struct pending *of,
                         struct schema_limits *limits)
{
    struct arena *arena = compile->errors->arena;
    const struct str text = json_to_str(json_get(of->json, STR("pattern")));
    if (text.len == 0)
        return;
    limits->pattern_text = arena_str(&compile->schema->arena, text);
    OWNED(error)
    err = regexp_compile(&compile->schema->arena, limits->pattern_text, &limits->pattern);
    compile->pattern_steps += limits->pattern ? regexp_size(limits->pattern) : 0;
    if (!err && compile->pattern_steps > PATTERN_STEPS_MAX)
        err = error_new(ERROR_INVALID, "the patterns of the schema are too large, all in all");
    if (err)
        field_errors_add_str(
            compile->errors, FIELD_INVALID, arena_print(arena, "%.*s.pattern", STR_ARG(of->path)),
            text,
            arena_print(arena, "must be a valid regular expression, but isn't: %s", err->message));
}

/*
 * Whether a node needs a struct schema_limits. exclusiveMinimum and exclusiveMaximum mean nothing
 * without their bounds.
 */
static bool has_limits(const struct json_value *json)
{
    static const char *const keywords[] = {
        "minimum",   "maximum",       "multipleOf", "minLength",
        "maxLength", "minItems",      "maxItems",   "minProperties",
        "pattern",   "maxProperties", "allOf",      "anyOf",
        "oneOf",     "not",           "enum",       "x-kubernetes-validations",
    };
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (json_get(json, str_from_c(keywords[i])))
            return true;
    return false;
}

static int name_cmp(const void *a, const void *b)
{
    const struct str *x = a, *y = b;
    return str_cmp(*x, *y);
}

/* An enum of many texts is searched, not tried one by one. */
static void read_enum(struct compile *compile, const struct json_value *enumeration,
                      struct schema_limits *limits)
{
    if (json_type(enumeration) != JSON_ARRAY || json_count(enumeration) == 0)
        return;
    keep_value(compile, enumeration, &limits->enumeration);
    if (json_count(enumeration) < ENUM_SORTED_MIN)
        return;
    const struct schema_names texts = read_names(compile, enumeration);
    if (texts.count < json_count(enumeration))
        return;
    qsort(texts.items, texts.count, sizeof(texts.items[0]), name_cmp);
    limits->enum_texts = texts;
}

static void read_limits(struct compile *compile, const struct pending *of)
{
    if (!has_limits(of->json))
        return;
    struct schema_limits *limits = ARENA_NEW(&compile->schema->arena, struct schema_limits);
    const struct json_value *rules = json_get(of->json, STR("x-kubernetes-validations"));
    const struct json_value *not_of = json_get(of->json, STR("not"));
    of->node->limits = limits;
    read_numbers(of->json, limits);
    read_pattern(compile, of, limits);
    limits->all_of = read_logic(compile, of, "allOf");
    limits->any_of = read_logic(compile, of, "anyOf");
    limits->one_of = read_logic(compile, of, "oneOf");
    if (json_type(not_of) == JSON_OBJECT)
        limits->not_of = add_logic(compile, of, not_of, "not", (struct str){NULL, 0});
    read_enum(compile, json_get(of->json, STR("enum")), limits);
    if (json_type(rules) == JSON_ARRAY && json_count(rules))
        compile->schema->has_rules = true;
}

static enum schema_list_type read_list_type(const struct json_value *json)
{
    const struct str text = json_to_str(json_get(json, STR("x-kubernetes-list-type")));
    if (str_eq(text, STR("set")))
        return SCHEMA_LIST_SET;
    return str_eq(text, STR("map")) ? SCHEMA_LIST_MAP : SCHEMA_LIST_ATOMIC;
}

/* Reads the keywords of one node. A default of null means no default. */
static void read_node(struct compile *compile, const struct pending *of)
{
    struct schema_node *node = of->node;
    const struct json_value *json = of->json;
    schema_type_from_name(json_to_str(json_get(json, STR("type"))), &node->types);
    node->int_or_string = read_bool(json, "x-kubernetes-int-or-string");
    if (node->int_or_string)
        node->types = TYPE_INTEGER | TYPE_STRING;
    node->list_type = (uint8_t)read_list_type(json);
    node->nullable = read_bool(json, "nullable");
    node->embedded = read_bool(json, "x-kubernetes-embedded-resource");
    node->preserve = read_bool(json, "x-kubernetes-preserve-unknown-fields");
    node->atomic_map =
        str_eq(json_to_str(json_get(json, STR("x-kubernetes-map-type"))), STR("atomic"));
    node->list_keys = read_names(compile, json_get(json, STR("x-kubernetes-list-map-keys")));
    node->format = arena_str(&compile->schema->arena, json_to_str(json_get(json, STR("format"))));
    if (json_type(json_get(json, STR("default"))) != JSON_NULL)
        keep_value(compile, json_get(json, STR("default")), &node->default_value);
    read_containers(compile, of);
    read_limits(compile, of);
    schema_check_node(json, node, of->path, of->may_have_type, compile->errors);
}

/*
 * Finishes the document of constants and sets all pointers into it, in the order of keep_value().
 */
static struct error *place_constants(struct compile *compile)
{
    struct constants *constants = &compile->constants;
    json_builder_end(&constants->builder);
    TRY(json_builder_finish(&constants->builder, &compile->schema->constants));
    const struct json_value *value;
    size_t i = 0;
    JSON_FOREACH (key, value, json_doc_root(compile->schema->constants))
        *constants->places[i++] = value;
    return NULL;
}

/*
 * Reads all nodes, then sets the constants, then checks the parts of all nodes. The list moves when
 * it grows, so that reading works on a copy of the element.
 */
static struct error *compile_all(struct compile *compile, struct pending root)
{
    json_builder_array(&compile->constants.builder);
    pending_add(&compile->pending, root);
    for (size_t i = 0; i < compile->pending.count; i++) {
        const struct pending at = compile->pending.items[i];
        read_node(compile, &at);
        if (i == 0)
            schema_check_root(at.json, at.node, at.path, compile->errors);
    }
    TRY(place_constants(compile));
    for (size_t i = 0; i < compile->pending.count; i++) {
        const struct pending *at = &compile->pending.items[i];
        schema_check_parts(at->json, at->node, at->path, compile->errors);
    }
    return arena_check(&compile->schema->arena);
}

struct schema *schema_compile(const struct json_value *openapi, struct str path,
                              struct field_errors *errors)
{
    __attribute__((cleanup(compile_done))) struct compile compile = {.schema = NEW(struct schema),
                                                                     .errors = errors};
    compile.schema->references = 1;
    const size_t before = errors->count;
    if (json_type(openapi) != JSON_OBJECT) {
        field_errors_add(errors, FIELD_REQUIRED, path, STR(""));
        return NULL;
    }
    struct schema_node *root = ARENA_NEW(&compile.schema->arena, struct schema_node);
    compile.schema->root = root;
    OWNED(error)
    err = compile_all(&compile, (struct pending){.json = openapi, .node = root, .path = path});
    if (err)
        field_errors_add(errors, FIELD_INTERNAL, path, str_from_c(err->message));
    return errors->count == before ? TAKE(compile.schema) : NULL;
}
