/*
 * Whether Go's decoder accepts a document: kind_decode_check().
 *
 * Walks the document along the Go type, with a stack of open containers, in the order of the
 * document. The first value of the wrong type ends the walk with the message of Go's decoder. Two
 * paths are kept, because messages have two forms: unknown fields show indices
 * ("spec.containers[0].name"), type errors do not ("spec.containers.name") and begin with the name
 * of the innermost struct.
 *
 * Types with a decoder of their own (Time, Quantity, IntOrString, Duration) have errors without a
 * field name. Upstream: sigs.k8s.io/json and encoding/json.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_decode_internal.h"
#include "base/array.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/memory.h"
#include "base/timestamp.h"

#define TIME_LAYOUT       "2006-01-02T15:04:05Z07:00"
#define MICRO_TIME_LAYOUT "2006-01-02T15:04:05.000000Z07:00"

/*
 * A container that is being checked. `field` describes the items of a list or map; a struct has a
 * `type` instead.
 */
struct level {
    struct json_iter iter;
    const struct go_type *type;   /* of a struct */
    const struct go_field *field; /* of the items of a list or map; NULL for a struct */
    const char *owner;            /* name of the innermost struct */
    size_t path_len, place_len;
};

struct check {
    struct level *levels;
    size_t depth, capacity;
    struct buf path;  /* "spec.containers[0].name", for unknown fields */
    struct buf place; /* "spec.containers.name", for errors */
    const char *owner;
    struct json_warnings *unknown;
};

static void check_done(struct check *check)
{
    mem_free(check->levels);
    buf_done(&check->path);
    buf_done(&check->place);
}

static void enter(struct check *check, const struct json_value *value, const struct go_type *type,
                  const struct go_field *field)
{
    const struct level level = {
        .iter.container = value,
        .type = type,
        .field = field,
        .owner = type ? type->name : check->owner,
        .path_len = check->path.len,
        .place_len = check->place.len,
    };
    ARRAY_PUSH(check->levels, check->depth, check->capacity, level);
}

/* The name of a JSON type in messages of Go's decoder. */
static const char *found_name(enum json_type type)
{
    static const char *const names[] = {
        [JSON_BOOL] = "bool",   [JSON_NUMBER] = "number", [JSON_STRING] = "string",
        [JSON_ARRAY] = "array", [JSON_OBJECT] = "object", [JSON_ABSENT] = "null",
        [JSON_NULL] = "null",
    };
    return names[type];
}

/* The Go type of a field, or of its items. */
static const char *field_type_name(const struct go_field *field)
{
    static const char *const names[] = {
        [GO_STRING] = "string",
        [GO_BOOL] = "bool",
        [GO_INT32] = "int32",
        [GO_INT64] = "int64",
        [GO_DOUBLE] = "float64",
        [GO_BYTES] = "[]uint8",
        [GO_STRINGS] = "[]string",
        [GO_QUANTITY] = "resource.Quantity",
        [GO_INT_OR_STRING] = "int32",
        [GO_TIME] = "v1.Time",
        [GO_MICRO_TIME] = "v1.MicroTime",
        [GO_DURATION] = "v1.Duration",
        [GO_ANY] = "interface {}",
        [GO_UNION] = "interface {}",
    };
    return field->kind == GO_MESSAGE ? field->type->name : names[field->kind];
}

/*
 * The error for a value that does not fit the Go type. If a number was expected, but of another
 * form, the message shows the number.
 */
static struct error *wrong_type(const struct check *check, const struct json_value *value,
                                const char *prefix, const char *type, bool show_number)
{
    SCOPED(buf) number = {.limit = KILOBYTE};
    if (show_number && json_type(value) == JSON_NUMBER) {
        buf_add_char(&number, ' ');
        json_write_with(&number, value, JSON_WRITE_NUMBERS_AS_READ);
    }
    return error_new(ERROR_BAD_REQUEST,
                     "json: cannot unmarshal %s%.*s into Go struct field %s.%.*s of type %s%s",
                     found_name(json_type(value)), STR_ARG(buf_str(&number)), check->owner,
                     STR_ARG(buf_str(&check->place)), prefix, type);
}

/* The same for a field, or with shape 0 for one of its items. */
static struct error *wrong_field_type(const struct check *check, const struct json_value *value,
                                      const struct go_field *field, unsigned shape,
                                      bool show_number)
{
    static const char *const prefixes[][2] = {
        {"",            "v1."           },
        {"[]",          "[]v1."         },
        {"map[string]", "map[string]v1."},
    };
    const size_t form = shape == GO_LIST ? 1 : shape == GO_MAP ? 2 : 0;
    return wrong_type(check, value, prefixes[form][field->kind == GO_MESSAGE],
                      field_type_name(field), show_number);
}

/* The error of a type that decodes itself: such a decoder does not know its field. */
static struct error *wrong_value_type(const struct json_value *value, const char *type)
{
    return error_new(ERROR_BAD_REQUEST, "json: cannot unmarshal %s into Go value of type %s",
                     found_name(json_type(value)), type);
}

/* Judged by the text of the number: 1.0 and 1e3 are no integers for Go. */
static bool is_whole(const struct json_value *value, int64_t min, int64_t max)
{
    SCOPED(buf) text = {.limit = KILOBYTE};
    int64_t number;
    json_write_with(&text, value, JSON_WRITE_NUMBERS_AS_READ);
    return str_to_int64(buf_str(&text), &number) && number >= min && number <= max;
}

static bool fits_int(const struct json_value *value, enum go_field_kind kind)
{
    if (json_type(value) != JSON_NUMBER)
        return false;
    return kind == GO_INT64 ? is_whole(value, INT64_MIN, INT64_MAX)
                            : is_whole(value, INT32_MIN, INT32_MAX);
}

/* Base64, or a list with a number for each byte. */
static struct error *check_bytes(const struct check *check, const struct json_value *value,
                                 const struct go_field *field)
{
    SCOPED(buf) bytes = {.secret = true};
    const struct json_value *item;
    if (json_type(value) == JSON_ARRAY) {
        JSON_FOREACH (key, item, value)
            if (json_type(item) != JSON_NULL &&
                !(json_type(item) == JSON_NUMBER && is_whole(item, 0, UINT8_MAX)))
                return wrong_type(check, item, "", "uint8", true);
        return NULL;
    }
    if (json_type(value) != JSON_STRING)
        return wrong_field_type(check, value, field, 0, false);
    struct error *err = base64_decode(&bytes, json_to_str(value));
    if (err)
        err->code = ERROR_BAD_REQUEST;
    return err;
}

/*
 * Go names the part that it could not parse. For a MicroTime without a fraction that is the rest
 * behind the seconds, else the beginning.
 */
static struct error *bad_time(struct str text, enum go_field_kind kind)
{
    timestamp time;
    if (kind == GO_MICRO_TIME && timestamp_read(text, &time) && text.len > 19)
        return error_new(ERROR_BAD_REQUEST,
                         "parsing time \"%.*s\" as \"%s\": cannot parse \"%.*s\" as \".000000\"",
                         STR_ARG(text), MICRO_TIME_LAYOUT, STR_ARG(str_skip(text, 19)));
    return error_new(
        ERROR_BAD_REQUEST, "parsing time \"%.*s\" as \"%s\": cannot parse \"%.*s\" as \"2006\"",
        STR_ARG(text), kind == GO_TIME ? TIME_LAYOUT : MICRO_TIME_LAYOUT, STR_ARG(text));
}

static struct error *check_time(const struct json_value *value, enum go_field_kind kind)
{
    const struct str text = json_to_str(value);
    timestamp time;
    duration span;
    if (json_type(value) != JSON_STRING)
        return wrong_value_type(value, "string");
    if (kind == GO_DURATION)
        return duration_read(text, &span)
                   ? NULL
                   : error_new(ERROR_BAD_REQUEST, "time: invalid duration \"%.*s\"", STR_ARG(text));
    if (kind == GO_TIME ? timestamp_read(text, &time) : timestamp_read_micro(text, &time))
        return NULL;
    return bad_time(text, kind);
}

static struct error *check_quantity(const struct json_value *value)
{
    SCOPED(buf) text = {.limit = KILOBYTE};
    struct quantity quantity;
    if (json_type(value) == JSON_STRING)
        buf_add(&text, json_to_str(value));
    else if (json_type(value) == JSON_NUMBER)
        json_write_with(&text, value, JSON_WRITE_NUMBERS_AS_READ);
    struct error *err = quantity_read(buf_str(&text), &quantity);
    if (err)
        err->code = ERROR_BAD_REQUEST;
    return err;
}

static struct error *check_strings(const struct check *check, const struct json_value *value,
                                   const struct go_field *field)
{
    const struct go_field element = {.kind = GO_STRING};
    const struct json_value *item;
    if (json_type(value) != JSON_ARRAY)
        return wrong_field_type(check, value, field, 0, false);
    JSON_FOREACH (key, item, value)
        if (json_type(item) != JSON_STRING && json_type(item) != JSON_NULL)
            return wrong_field_type(check, item, &element, 0, false);
    return NULL;
}

static struct error *check_scalar(const struct check *check, const struct json_value *value,
                                  const struct go_field *field)
{
    const enum json_type type = json_type(value);
    switch ((enum go_field_kind)field->kind) {
    case GO_STRING:
        return type == JSON_STRING ? NULL : wrong_field_type(check, value, field, 0, false);
    case GO_BOOL:
        return type == JSON_BOOL ? NULL : wrong_field_type(check, value, field, 0, false);
    case GO_INT32:
    case GO_INT64:
        return fits_int(value, field->kind) ? NULL : wrong_field_type(check, value, field, 0, true);
    case GO_DOUBLE:
        return type == JSON_NUMBER ? NULL : wrong_field_type(check, value, field, 0, false);
    case GO_BYTES:
        return check_bytes(check, value, field);
    case GO_STRINGS:
        return check_strings(check, value, field);
    case GO_INT_OR_STRING:
        return type == JSON_STRING || fits_int(value, GO_INT32) ? NULL
                                                                : wrong_value_type(value, "int32");
    case GO_QUANTITY:
        return check_quantity(value);
    case GO_TIME:
    case GO_MICRO_TIME:
    case GO_DURATION:
        return check_time(value, field->kind);
    case GO_ANY:
    case GO_UNION:
    case GO_MESSAGE:
        break;
    }
    return NULL;
}

/*
 * Checks one value, or enters it if it is a container. is_element says that the value is an item of
 * a list or map, not the list or map itself. Null is accepted everywhere.
 */
static struct error *check_value(struct check *check, const struct json_value *value,
                                 const struct go_field *field, bool is_element)
{
    const enum json_type type = json_type(value);
    const unsigned shape = is_element ? 0 : field->flags & (GO_LIST | GO_MAP);
    if (type == JSON_NULL)
        return NULL;
    if ((shape == GO_LIST && type != JSON_ARRAY) || (shape == GO_MAP && type != JSON_OBJECT))
        return wrong_field_type(check, value, field, shape, false);
    if (shape) {
        enter(check, value, NULL, field);
        return NULL;
    }
    if (field->kind != GO_MESSAGE)
        return check_scalar(check, value, field);
    if (type != JSON_OBJECT)
        return wrong_field_type(check, value, field, 0, false);
    enter(check, value, field->type, NULL);
    return NULL;
}

static void note_unknown(const struct check *check)
{
    SCOPED(buf) text = {.limit = 0};
    if (!check->unknown)
        return;
    buf_print(&text, "unknown field \"%.*s\"", STR_ARG(buf_str(&check->path)));
    json_warn(check->unknown, buf_str(&text));
}

static void add_step(struct buf *path, struct str key)
{
    if (path->len)
        buf_add_char(path, '.');
    buf_add(path, key);
}

/* Checks a member of a struct. Unknown members are noted and not looked into. */
static struct error *check_member(struct check *check, const struct level *level, struct str key,
                                  const struct json_value *value)
{
    const struct go_field *field = go_type_field(level->type, key);
    add_step(&check->path, key);
    if (!field) {
        note_unknown(check);
        return NULL;
    }
    add_step(&check->place, key);
    return check_value(check, value, field, false);
}

/*
 * Checks the next member or item of the innermost container. Both paths are cut back to the
 * container first.
 */
static struct error *check_step(struct check *check)
{
    struct level *level = &check->levels[check->depth - 1];
    const struct json_value *value;
    const size_t index = level->iter.index;
    struct str key;
    buf_truncate(&check->path, level->path_len);
    buf_truncate(&check->place, level->place_len);
    check->owner = level->owner;
    if (!json_next(&level->iter, &key, &value)) {
        check->depth--;
        return NULL;
    }
    if (!level->field)
        return check_member(check, level, key, value);
    if (level->field->flags & GO_LIST) /* as upstream, paths do not contain keys of maps */
        buf_add_index(&check->path, index);
    return check_value(check, value, level->field, true);
}

struct error *kind_decode_check(const struct go_type *type, const struct json_value *object,
                                struct json_warnings *unknown)
{
    SCOPED(check) check = {.unknown = unknown, .owner = type->name};
    if (json_type(object) != JSON_OBJECT)
        return error_new(ERROR_BAD_REQUEST, "json: cannot unmarshal %s into Go value of type v1.%s",
                         found_name(json_type(object)), type->name);
    enter(&check, object, type, NULL);
    while (check.depth > 0)
        TRY(check_step(&check));
    return NULL;
}
