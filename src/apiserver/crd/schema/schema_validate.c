/*
 * Validation of values against schemas.
 *
 * Messages and their order are those of k8s.io/kube-openapi/pkg/validation/validate, which is a
 * collection of validators that run one after the other. check_value() has their order: the type,
 * then allOf, anyOf, oneOf and not, strings, formats, numbers, enum. Members and elements follow;
 * required members, counts of elements and the enum of an array come last, when a container is left
 * (leave_container()).
 *
 * Containers wait on a stack of frames, so that a deep document costs no C stack. Only allOf,
 * anyOf, oneOf and not recurse, into conditions on the same value; the compiler bounds their
 * nesting. Validation stops when the list of errors is full, or when it took too long: then the
 * object is refused with an error that says so, whatever else there is.
 *
 * Logic is in schema_validate_logic.c, numbers in schema_validate_number.c, embedded resources and
 * list types in schema_validate_parts.c.
 */
#include "apiserver/crd/schema/schema_internal.h"
#include "apiserver/crd/schema/schema_validate_internal.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/compare.h"

#define INDEXED_MIN 16
#define INDEX_COST  8 /* steps for each member */

/* A container whose members or elements are being validated. */
struct frame {
    const struct schema_node *node;
    const struct json_value *value;
    struct json_iter iter;
    size_t path_len;
};

struct frames {
    struct frame *items;
    size_t count, capacity;
};

static void frames_done(struct frames *frames)
{
    mem_free(frames->items);
}

bool validate_spend(struct validate *v, size_t steps)
{
    v->work -= steps < v->work ? steps : v->work;
    return v->work > 0;
}

/* Whether an object has a member. Many questions about a large object take one look at it. */
static bool has_member(struct validate *v, const struct json_value *object, struct str name)
{
    const struct json_value *value;
    if (json_count(object) < INDEXED_MIN)
        return json_get(object, name);
    if (v->indexed != object) {
        map_clear(&v->index);
        JSON_FOREACH (key, value, object)
            map_put(&v->index, key, NULL);
        v->indexed = object;
        validate_spend(v, json_count(object) * INDEX_COST);
    }
    return map_has(&v->index, name);
}

/* The field of an error: prefix and path, or the prefix alone for the validated value itself. */
static struct str field_of(const struct validate *v)
{
    struct str name = buf_str(&v->path);
    if (name.len && name.ptr[0] == '.')
        name = str_skip(name, 1);
    if (v->prefix.len == 0)
        return name;
    return name.len == 0
               ? v->prefix
               : arena_print(v->errors->arena, "%.*s.%.*s", STR_ARG(v->prefix), STR_ARG(name));
}

void validate_fail(struct validate *v, enum field_error_type type, const struct json_value *value,
                   struct str detail)
{
    field_errors_add_value(v->errors, type, field_of(v), value, detail);
}

void validate_fail_int(struct validate *v, enum field_error_type type, int64_t value,
                       struct str detail)
{
    field_errors_add_int(v->errors, type, field_of(v), value, detail);
}

void validate_fail_plain(struct validate *v, struct str detail)
{
    field_errors_add_str(v->errors, FIELD_INVALID, v->prefix, STR(""), detail);
}

struct str validate_in_body(struct validate *v, struct str rest)
{
    return arena_print(v->errors->arena, "%.*s in body %.*s", STR_ARG(buf_str(&v->path)),
                       STR_ARG(rest));
}

/* The message is the same for types and formats; `expected` is the one or the other. */
static void fail_type(struct validate *v, struct str expected, struct str found)
{
    SCOPED(buf) detail = {.limit = 0};
    buf_print(&detail, "%.*s in body must be of type %.*s: ", STR_ARG(buf_str(&v->path)),
              STR_ARG(expected));
    str_quote_go(&detail, found);
    field_errors_add_str(v->errors, FIELD_TYPE_INVALID, field_of(v), found, buf_str(&detail));
}

static struct str type_names(struct validate *v, uint8_t types)
{
    static const struct {
        uint8_t type;
        const char *name;
    } names[] = {
        {TYPE_ARRAY,   "array"  },
        {TYPE_BOOLEAN, "boolean"},
        {TYPE_INTEGER, "integer"},
        {TYPE_NUMBER,  "number" },
        {TYPE_OBJECT,  "object" },
        {TYPE_STRING,  "string" },
    };
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < COUNT(names); i++)
        if (types & names[i].type)
            buf_print(&text, "%s%s", text.len ? "," : "", names[i].name);
    return arena_str(v->errors->arena, buf_str(&text));
}

/* 0 for null. A number without a fraction is an integer, however it is written. */
static uint8_t type_of(const struct json_value *value)
{
    int64_t whole;
    switch (json_type(value)) {
    case JSON_BOOL:
        return TYPE_BOOLEAN;
    case JSON_NUMBER:
        return json_to_int64(value, &whole) ? TYPE_INTEGER : TYPE_NUMBER;
    case JSON_STRING:
        return TYPE_STRING;
    case JSON_ARRAY:
        return TYPE_ARRAY;
    case JSON_OBJECT:
        return TYPE_OBJECT;
    case JSON_ABSENT:
    case JSON_NULL:
        break;
    }
    return 0;
}

/*
 * Whether a value has the right type. For a string with a format upstream's message names the
 * format instead of the type, and lets arrays pass.
 */
static bool check_type(struct validate *v, const struct schema_node *node,
                       const struct json_value *value)
{
    const uint8_t found = type_of(value), types = node->types;
    if (types == 0)
        return true;
    if (found == 0) {
        if (!node->nullable)
            fail_type(v, type_names(v, types), STR("null"));
        return node->nullable;
    }
    const bool fits = (types & found) || (found == TYPE_INTEGER && (types & TYPE_NUMBER));
    if (fits)
        return true;
    if (node->format.len && !node->int_or_string && !(types & (TYPE_INTEGER | TYPE_NUMBER))) {
        if (found & (TYPE_STRING | TYPE_ARRAY))
            return true;
        const struct str format = found == TYPE_INTEGER  ? STR("int64")
                                  : found == TYPE_NUMBER ? STR("float64")
                                                         : STR("");
        fail_type(v, node->format, format);
    } else {
        fail_type(v, type_names(v, types), type_names(v, found));
    }
    return false;
}

/* Lengths are counted in characters; a byte that is no UTF-8 counts as one. */
static int64_t count_runes(struct str text)
{
    int64_t count = 0;
    for (; text.len; count++) {
        const size_t len = str_char_len(text);
        text = str_skip(text, len ? len : 1);
    }
    return count;
}

/* Length and pattern; only the first failure is reported. */
static void check_string(struct validate *v, const struct schema_limits *limits,
                         const struct json_value *value)
{
    const struct str text = json_to_str(value);
    struct arena *arena = v->errors->arena;
    const int64_t runes =
        limits->max_length >= 0 || limits->min_length >= 0 ? count_runes(text) : 0;
    if (limits->max_length >= 0 && runes > limits->max_length)
        field_errors_add_too_long(v->errors, field_of(v), (size_t)limits->max_length);
    else if (limits->min_length >= 0 && runes < limits->min_length)
        validate_fail(v, FIELD_INVALID, value,
                      validate_in_body(v, arena_print(arena, "should be at least %lld chars long",
                                                      (long long)limits->min_length)));
    else if (limits->pattern && regexp_match(limits->pattern, text, &v->work) == REGEXP_NO_MATCH)
        validate_fail(v, FIELD_INVALID, value,
                      validate_in_body(v, arena_print(arena, "should match '%.*s'",
                                                      STR_ARG(limits->pattern_text))));
}

static void check_format(struct validate *v, const struct schema_node *node,
                         const struct json_value *value)
{
    if (node->format.len && !schema_format_holds(node->format, json_to_str(value)))
        fail_type(v, node->format, json_to_str(value));
}

static void check_items(struct validate *v, const struct schema_limits *limits,
                        const struct json_value *value)
{
    const int64_t count = (int64_t)json_count(value);
    if (limits->min_items >= 0 && count < limits->min_items)
        validate_fail_int(
            v, FIELD_INVALID, count,
            validate_in_body(v, arena_print(v->errors->arena, "should have at least %lld items",
                                            (long long)limits->min_items)));
    if (limits->max_items >= 0 && count > limits->max_items)
        field_errors_add_too_many(v->errors, field_of(v), (size_t)count, (size_t)limits->max_items);
}

/* The supported values are shown as quoted texts: strings as they are, other values as JSON. */
static void fail_enum(struct validate *v, const struct json_value *values,
                      const struct json_value *value)
{
    SCOPED(buf) detail = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *one;
    JSON_FOREACH (key, one, values) {
        buf_clear(&text);
        if (json_type(one) == JSON_STRING)
            buf_add(&text, json_to_str(one));
        else
            json_write(&text, one);
        buf_add(&detail, detail.len ? STR(", ") : STR("supported values: "));
        str_quote_go(&detail, buf_str(&text));
    }
    validate_spend(v, detail.len);
    validate_fail(v, FIELD_NOT_SUPPORTED, value, buf_str(&detail));
}

static bool is_enum_text(const struct schema_limits *limits, const struct json_value *value)
{
    const struct schema_names *texts = &limits->enum_texts;
    const struct str text = json_to_str(value);
    size_t low = 0, high = json_type(value) == JSON_STRING ? texts->count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = str_cmp(text, texts->items[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static void check_enum(struct validate *v, const struct schema_limits *limits,
                       const struct json_value *value)
{
    const struct json_value *one;
    if (!limits->enumeration || is_enum_text(limits, value))
        return;
    JSON_FOREACH (key, one, limits->enum_texts.count ? NULL : limits->enumeration)
        if (!validate_spend(v, 1) || json_equal(one, value))
            return;
    fail_enum(v, limits->enumeration, value);
}

/* False when the number of members is wrong; upstream does not look at the members then. */
static bool check_member_count(struct validate *v, const struct schema_limits *limits,
                               const struct json_value *value)
{
    const int64_t count = (int64_t)json_count(value);
    if (limits->min_properties >= 0 && count < limits->min_properties) {
        validate_fail_int(v, FIELD_INVALID, count,
                          validate_in_body(v, arena_print(v->errors->arena,
                                                          "should have at least %lld properties",
                                                          (long long)limits->min_properties)));
        return false;
    }
    if (limits->max_properties >= 0 && count > limits->max_properties) {
        field_errors_add_too_many(v->errors, field_of(v), (size_t)count,
                                  (size_t)limits->max_properties);
        return false;
    }
    return true;
}

/*
 * Reports required members that are absent. One with a default is not: defaulting would have added
 * it.
 */
static void check_required(struct validate *v, const struct schema_node *node,
                           const struct json_value *value)
{
    const size_t len = v->path.len;
    for (size_t i = 0; i < node->required.count; i++) {
        const struct str name = node->required.items[i];
        const struct schema_property *property = schema_find_property(node, name);
        if (!validate_spend(v, 1) || has_member(v, value, name) ||
            (property && property->node->default_value))
            continue;
        buf_add(&v->path, len ? STR(".") : STR(""));
        buf_add(&v->path, name);
        field_errors_add(v->errors, FIELD_REQUIRED, field_of(v), STR(""));
        buf_truncate(&v->path, len);
    }
}

/* Reports members that are no properties, where additionalProperties is false. */
static void check_forbidden(struct validate *v, const struct schema_node *node,
                            const struct json_value *value)
{
    const size_t len = v->path.len;
    const struct json_value *part;
    JSON_FOREACH (name, part, node->forbids_additional ? value : NULL) {
        if (!validate_spend(v, 1) || schema_find_property(node, name))
            continue;
        buf_add(&v->path, len ? STR(".") : STR(""));
        buf_add(&v->path, name);
        const struct str detail = validate_in_body(v, STR("is a forbidden property"));
        buf_truncate(&v->path, len);
        field_errors_add_str(v->errors, FIELD_INVALID, field_of(v), name, detail);
    }
}

/*
 * All checks of a value itself, except those that follow its members. Returns whether members or
 * elements are to be validated.
 */
static bool check_value(struct validate *v, const struct schema_node *node,
                        const struct json_value *value)
{
    static const struct schema_limits none = {.min_length = -1,
                                              .max_length = -1,
                                              .min_items = -1,
                                              .max_items = -1,
                                              .min_properties = -1,
                                              .max_properties = -1};
    const struct schema_limits *limits = node->limits ? node->limits : &none;
    const enum json_type type = json_type(value);
    v->matches += check_type(v, node, value);
    if (type == JSON_NULL) {
        if (!node->nullable)
            check_enum(v, limits, value);
        return false;
    }
    validate_logic(v, limits, value);
    if (type == JSON_STRING) {
        check_string(v, limits, value);
        check_format(v, node, value);
    } else if (type == JSON_NUMBER) {
        validate_number(v, node, limits, value);
    }
    if (type == JSON_ARRAY)
        return true; /* leave_container() checks the enum of an array */
    check_enum(v, limits, value);
    if (type != JSON_OBJECT || !check_member_count(v, limits, value))
        return false;
    check_forbidden(v, node, value);
    return true;
}

/* The checks that follow the members or elements of a container. */
static void leave_container(struct validate *v, const struct frame *frame)
{
    buf_truncate(&v->path, frame->path_len);
    if (json_type(frame->value) == JSON_OBJECT) {
        check_required(v, frame->node, frame->value);
    } else if (frame->node->limits) {
        check_items(v, frame->node->limits, frame->value);
        check_enum(v, frame->node->limits, frame->value);
    }
}

static void enter_value(struct validate *v, struct frames *frames, const struct schema_node *node,
                        const struct json_value *value)
{
    v->matches++;
    if (!check_value(v, node, value))
        return;
    const bool has_parts =
        node->property_count || node->additional || node->items || node->embedded;
    const struct frame frame = {.node = node,
                                .value = value,
                                .iter.container = has_parts ? value : NULL,
                                .path_len = v->path.len};
    ARRAY_PUSH(frames->items, frames->count, frames->capacity, frame);
}

/* Sets the path to a member or element. Returns its schema, NULL when there is none. */
static const struct schema_node *name_part(struct validate *v, const struct frame *frame,
                                           struct str key, size_t index)
{
    buf_truncate(&v->path, frame->path_len);
    if (json_type(frame->value) == JSON_ARRAY) {
        buf_add_index(&v->path, index);
        return frame->node->items;
    }
    buf_add(&v->path, frame->path_len ? STR(".") : STR(""));
    buf_add(&v->path, key);
    return schema_member(frame->node, key);
}

void validate_tree(struct validate *v, const struct schema_node *node,
                   const struct json_value *value)
{
    __attribute__((cleanup(frames_done))) struct frames frames = {.items = NULL};
    const size_t path_len = v->path.len;
    enter_value(v, &frames, node, value);
    while (frames.count && !field_errors_is_full(v->errors) && validate_spend(v, 1)) {
        struct frame *frame = &frames.items[frames.count - 1];
        const struct json_value *part = NULL;
        const size_t index = frame->iter.index;
        struct str key;
        if (!json_next(&frame->iter, &key, &part)) {
            leave_container(v, frame);
            frames.count--;
            continue;
        }
        const struct schema_node *of = name_part(v, frame, key, index);
        if (of)
            enter_value(v, &frames, of, part);
    }
    buf_truncate(&v->path, path_len);
}

void schema_validate_value(const struct schema_node *node, const struct json_value *value,
                           struct str prefix, struct field_errors *errors)
{
    struct validate v = {.errors = errors, .prefix = prefix, .work = VALIDATE_WORK_MAX};
    validate_tree(&v, node, value);
    if (v.work == 0)
        field_errors_add(errors, FIELD_FORBIDDEN, prefix,
                         STR("it takes too long to validate: the value is too large, or has too "
                             "many parts, for the patterns and alternatives of its schema"));
    buf_done(&v.path);
    arena_done(&v.scratch);
    map_done(&v.index);
}

/* These types of errors mean that rules would see values of unexpected shape. */
bool schema_blocks_rules(const struct field_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        switch (errors->items[i].type) {
        case FIELD_NOT_SUPPORTED:
        case FIELD_REQUIRED:
        case FIELD_TOO_LONG:
        case FIELD_TOO_MANY:
        case FIELD_TYPE_INVALID:
            return true;
        default:
            break;
        }
    return false;
}

void schema_validate(const struct schema *schema, const struct json_value *object,
                     enum schema_scope scope, struct field_errors *errors)
{
    const struct json_value *status = json_get(object, STR("status"));
    const struct schema_node *status_node = schema_member(schema->root, STR("status"));
    if (scope == SCHEMA_OBJECT) {
        schema_validate_value(schema->root, object, STR(""), errors);
        schema_validate_embedded(schema->root, object, errors);
    } else if (status && status_node) {
        schema_validate_value(status_node, status, STR("status"), errors);
    }
    schema_validate_lists(schema->root, object, errors);
    if (schema->has_rules && schema_blocks_rules(errors))
        field_errors_add_value(errors, FIELD_INVALID, STR(""), NULL,
                               STR("some validation rules were not checked because the object was "
                                   "invalid; correct the existing errors to complete validation"));
}
