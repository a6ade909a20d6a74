/*
 * Passes a document through the kind's Go type: kind_builtin_decode().
 *
 * Two passes. kind_decode_check.c walks the document along the type and finds wrong types and
 * unknown fields. This file then walks the type along the document and writes what Go's encoder
 * would write: fields in the order of the type, without zero values that have omitempty. Because
 * the check came first, values are known to have the right type here.
 *
 * The walk keeps a stack of levels: one per open struct, list or map. write_step() does one field
 * or one item of the innermost level. Inlined types have a level of their own, but no object: their
 * members stand in the object around them.
 *
 * Which values appear: appears() for single values, write_items() for lists and maps. Upstream:
 * encoding/json with the tags of k8s.io/api, by sigs.k8s.io/json.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/registry/kind_decode_internal.h"
#include "base/array.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/memory.h"

/* A container that is being written: a struct with its fields, or a list or map with its items. */
struct level {
    const struct go_type *type;
    const struct json_value *value; /* NULL: a struct whose members are all zero */
    size_t next;                    /* index of the next field of the type */
    bool is_inline;                 /* members are written to the enclosing object */
    const struct go_field *field;   /* describes the items of a list or map; NULL for a struct */
    struct json_iter iter;
};

struct writer {
    struct json_builder builder;
    struct level *levels;
    size_t depth, capacity;
    const struct kind *kind;
};

static void writer_done(struct writer *writer)
{
    json_builder_done(&writer->builder);
    mem_free(writer->levels);
}

static void push(struct writer *writer, struct level level)
{
    ARRAY_PUSH(writer->levels, writer->depth, writer->capacity, level);
}

/* Writes a quantity in canonical form; null is "0". */
static void write_quantity(struct json_builder *out, const struct json_value *value)
{
    SCOPED(buf) text = {.limit = KILOBYTE};
    SCOPED(buf) written = {.limit = KILOBYTE};
    struct quantity quantity;
    if (json_type(value) == JSON_NUMBER)
        json_write_with(&text, value, JSON_WRITE_NUMBERS_AS_READ);
    else
        buf_add(&text, json_type(value) == JSON_STRING ? json_to_str(value) : STR("0"));
    struct error *err = quantity_read(buf_str(&text), &quantity);
    if (err)
        error_free(err); /* cannot happen: kind_decode_check() has read it */
    else
        quantity_write(&written, &quantity);
    json_builder_str(out, buf_str(&written));
}

/*
 * Writes a time in UTC, with seconds or microseconds. A time that our timestamps cannot represent
 * is kept as it came.
 */
static void write_time(struct json_builder *out, struct str text, enum go_field_kind kind)
{
    char room[TIMESTAMP_TEXT_MAX];
    struct timestamp_exact exact;
    timestamp time;
    if (!timestamp_read(text, &time) || !timestamp_read_exact(text, &exact) ||
        time == TIMESTAMP_MIN || time == TIMESTAMP_MAX)
        json_builder_str(out, text);
    else
        json_builder_str(out, kind == GO_TIME ? timestamp_write(time, room)
                                              : timestamp_write_micro(time, room));
}

/*
 * Decodes and encodes base64 again, because Go accepts line breaks and does not keep them. It also
 * accepts a list of numbers, one for each byte, of which null is 0.
 */
static void write_bytes(struct json_builder *out, const struct json_value *value)
{
    SCOPED(buf) bytes = {.secret = true};
    SCOPED(buf) encoded = {.secret = true};
    const struct json_value *item;
    if (json_type(value) == JSON_ARRAY) {
        JSON_FOREACH (key, item, value) {
            int64_t number = 0;
            (void)json_to_int64(item, &number);
            buf_add_char(&bytes, (char)number);
        }
    } else {
        error_free(base64_decode(&bytes, json_to_str(value))); /* checked by kind_decode_check() */
    }
    base64_encode(&encoded, buf_str(&bytes));
    json_builder_str(out, buf_str(&encoded));
}

static void write_duration(struct json_builder *out, const struct json_value *value)
{
    char room[DURATION_TEXT_MAX];
    duration span = 0;
    (void)duration_read(json_to_str(value), &span);
    json_builder_str(out, duration_write(span, room));
}

static void write_int(struct json_builder *out, const struct json_value *value)
{
    int64_t number = 0;
    (void)json_to_int64(value, &number);
    json_builder_int(out, number);
}

/* Writes a value of the right type; NULL stands for the zero value. */
static void write_scalar(struct json_builder *out, const struct go_field *field,
                         const struct json_value *value)
{
    bool truth = false;
    switch ((enum go_field_kind)field->kind) {
    case GO_STRING:
        json_builder_str(out, json_to_str(value));
        break;
    case GO_BOOL:
        (void)json_to_bool(value, &truth);
        json_builder_bool(out, truth);
        break;
    case GO_INT32:
    case GO_INT64:
        write_int(out, value);
        break;
    case GO_INT_OR_STRING:
        if (json_type(value) == JSON_STRING)
            json_builder_str(out, json_to_str(value));
        else
            write_int(out, value);
        break;
    case GO_BYTES:
        if (value || (field->flags & GO_MAP))
            write_bytes(out, value);
        else
            json_builder_null(out);
        break;
    case GO_QUANTITY:
        write_quantity(out, value);
        break;
    case GO_DURATION:
        write_duration(out, value);
        break;
    case GO_TIME:
    case GO_MICRO_TIME:
        if (json_type(value) == JSON_STRING)
            write_time(out, json_to_str(value), field->kind);
        else
            json_builder_null(out);
        break;
    case GO_DOUBLE:
    case GO_STRINGS:
    case GO_ANY:
    case GO_UNION:
    case GO_MESSAGE:
        json_builder_value(out, value);
        break;
    }
}

/*
 * Whether a value is the zero value of its Go type. Structs never are: omitempty does not apply to
 * them.
 */
static bool is_zero(const struct go_field *field, const struct json_value *value)
{
    bool truth = false;
    double number = 0;
    switch ((enum go_field_kind)field->kind) {
    case GO_STRING:
        return json_to_str(value).len == 0;
    case GO_BYTES:
        return json_to_str(value).len == 0 && json_count(value) == 0;
    case GO_BOOL:
        return !json_to_bool(value, &truth) || !truth;
    case GO_INT32:
    case GO_INT64:
    case GO_DOUBLE:
        return !json_to_double(value, &number) || number == 0;
    case GO_TIME:
    case GO_MICRO_TIME:
    case GO_ANY:
    case GO_UNION:
        return !value;
    case GO_STRINGS:
    case GO_QUANTITY:
    case GO_INT_OR_STRING:
    case GO_DURATION:
    case GO_MESSAGE:
        break;
    }
    return false;
}

/* Whether the document decides what JSON stands there. */
static bool is_free(const struct go_field *field)
{
    return field->kind == GO_ANY || field->kind == GO_UNION;
}

/*
 * Whether Go's encoder writes a single value; NULL means absent or null. Go writes null for a time
 * that is not set; that member is left out here.
 */
static bool appears(const struct go_field *field, const struct json_value *value)
{
    if (field->flags & GO_POINTER)
        return value != NULL;
    if (field->kind == GO_TIME || field->kind == GO_MICRO_TIME || is_free(field))
        return value != NULL;
    return field->flags & GO_REQUIRED || !is_zero(field, value);
}

/*
 * Opens a list or map. Empty ones are left out: the protobuf storage of upstream does not keep
 * them. An empty list of managers is written, because it asks to forget those there are.
 */
static void write_items(struct writer *writer, const struct go_field *field,
                        const struct json_value *value)
{
    const bool is_wish = value && writer->depth == 2 && strcmp(field->name, "managedFields") == 0;
    if (json_count(value) == 0 && !is_wish)
        return;
    json_builder_key(&writer->builder, str_from_c(field->name));
    if (field->flags & GO_MAP)
        json_builder_object(&writer->builder);
    else
        json_builder_array(&writer->builder);
    push(writer, (struct level){.field = field, .iter.container = value});
}

static void write_struct(struct writer *writer, const struct go_type *type,
                         const struct json_value *value)
{
    json_builder_object(&writer->builder);
    push(writer, (struct level){.type = type, .value = value});
}

/* kind and apiVersion at the root are those of the kind, whatever the document says. */
static bool write_type_meta(struct writer *writer, const struct go_field *field)
{
    const struct gvk gvk = writer->kind->gvk;
    SCOPED(arena) arena = {.limit = KILOBYTE};
    if (writer->depth != 1)
        return false;
    if (strcmp(field->name, "kind") == 0)
        json_builder_add_str(&writer->builder, "kind", gvk.kind);
    else if (strcmp(field->name, "apiVersion") == 0)
        json_builder_add_str(&writer->builder, "apiVersion", gvk_api_version(&arena, gvk));
    else
        return false;
    return true;
}

/* Writes one field of a struct, if it appears. */
static void write_member(struct writer *writer, const struct go_field *field,
                         const struct json_value *object)
{
    if (write_type_meta(writer, field))
        return;
    if (field->flags & GO_INLINE) {
        push(writer, (struct level){.type = field->type, .value = object, .is_inline = true});
        return;
    }
    const struct json_value *value = json_get(object, str_from_c(field->name));
    if (json_type(value) == JSON_NULL)
        value = NULL;
    if (field->flags & (GO_LIST | GO_MAP)) {
        write_items(writer, field, value);
        return;
    }
    if (!appears(field, value))
        return;
    json_builder_key(&writer->builder, str_from_c(field->name));
    if (field->kind == GO_MESSAGE)
        write_struct(writer, field->type, value);
    else
        write_scalar(&writer->builder, field, value);
}

/*
 * Writes the next element of a list, or member of a map; closes the container after the last one.
 */
static void write_item(struct writer *writer, struct level *level)
{
    const struct go_field *field = level->field;
    const struct json_value *value;
    struct str key;
    if (!json_next(&level->iter, &key, &value)) {
        writer->depth--;
        json_builder_end(&writer->builder);
        return;
    }
    if (field->flags & GO_MAP)
        json_builder_key(&writer->builder, key);
    if (json_type(value) == JSON_NULL && !is_free(field))
        value = NULL;
    if (field->kind == GO_MESSAGE)
        write_struct(writer, field->type, value);
    else
        write_scalar(&writer->builder, field, value);
}

/* Does one field or one item of the innermost level. */
static void write_step(struct writer *writer)
{
    struct level *level = &writer->levels[writer->depth - 1];
    if (level->field) {
        write_item(writer, level);
        return;
    }
    if (level->next == level->type->count) {
        const bool is_inline = level->is_inline;
        writer->depth--;
        if (!is_inline)
            json_builder_end(&writer->builder);
        return;
    }
    write_member(writer, &level->type->fields[level->next++], level->value);
}

struct error *kind_builtin_decode(const struct kind *kind, struct json_doc *doc,
                                  struct json_warnings *unknown, struct json_doc **ret_doc)
{
    SCOPED(writer) writer = {.kind = kind};
    TRY(kind_decode_check(kind->type, json_doc_root(doc), unknown));
    write_struct(&writer, kind->type, json_doc_root(doc));
    while (writer.depth > 0)
        write_step(&writer);
    return json_builder_finish(&writer.builder, ret_doc);
}
