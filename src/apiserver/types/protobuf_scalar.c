/*
 * Scalars of protobuf messages as JSON.
 *
 * The wire knows numbers and bytes. What they mean is said by the kind of the field: a Quantity is
 * a message with a text, a Time one with seconds and nanoseconds, an IntOrString one with a flag.
 * Texts are the ones that Go's encoders write.
 */
#include "apiserver/types/protobuf_scalar.h"

#include <math.h>

#include "apimachinery/quantity.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/timestamp.h"

/* How a kind is sent. Another wire type is an error of the client. */
static enum wire_type wire_type_of(enum go_field_kind kind)
{
    switch (kind) {
    case GO_BOOL:
    case GO_INT32:
    case GO_INT64:
        return WIRE_VARINT;
    case GO_DOUBLE:
        return WIRE_FIXED64;
    default:
        return WIRE_BYTES;
    }
}

/* JSON has no infinities and no NaN. */
static struct error *write_double(struct json_builder *builder, uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    if (!isfinite(number))
        return error_new(ERROR_BAD_REQUEST, "number is not finite");
    json_builder_double(builder, number);
    return NULL;
}

/* Bytes are Secrets most of the time, so the buffer is wiped. */
static void write_bytes(struct json_builder *builder, struct str bytes)
{
    SCOPED(buf) text = {.secret = true};
    base64_encode(&text, bytes);
    json_builder_str(builder, buf_str(&text));
}

/* The value of a map whose JSON is an array. */
static struct error *write_strings(struct json_builder *builder, struct str message)
{
    TRY(wire_check(message));
    json_builder_array(builder);
    for (struct wire_field field; wire_next(&message, &field) == WIRE_FIELD;)
        if (field.number == 1 && field.type == WIRE_BYTES)
            json_builder_str(builder, field.bytes);
    json_builder_end(builder);
    return NULL;
}

/* Written anew in canonical form, as decoding and encoding in Go does. */
static struct error *write_quantity(struct json_builder *builder, struct str message)
{
    struct quantity quantity;
    SCOPED(buf) text = {.limit = 0};
    const struct str written = wire_find_bytes(message, 1);
    struct error *err = quantity_read(written.len ? written : STR("0"), &quantity);
    if (err) {
        err->code = ERROR_BAD_REQUEST;
        return err;
    }
    quantity_write(&text, &quantity);
    json_builder_str(builder, buf_str(&text));
    return NULL;
}

/* Field 1 says which one it is, 2 is the number, 3 the text. */
static void write_int_or_string(struct json_builder *builder, struct str message)
{
    if (wire_find_value(message, 1) == 1)
        json_builder_str(builder, wire_find_bytes(message, 3));
    else
        json_builder_int(builder, (int32_t)(uint32_t)wire_find_value(message, 2));
}

static struct error *write_time(struct json_builder *builder, struct str message, bool is_micro)
{
    char text[TIMESTAMP_TEXT_MAX];
    const int64_t seconds = (int64_t)wire_find_value(message, 1);
    const int32_t nanos = (int32_t)(uint32_t)wire_find_value(message, 2);
    timestamp time;
    if (__builtin_mul_overflow(seconds, INT64_C(1000000000), &time) ||
        __builtin_add_overflow(time, nanos, &time))
        return error_new(ERROR_BAD_REQUEST, "time is out of range");
    if (time == 0) { /* how Go's zero time is sent, and what it becomes in JSON */
        json_builder_null(builder);
        return NULL;
    }
    json_builder_str(builder,
                     is_micro ? timestamp_write_micro(time, text) : timestamp_write(time, text));
    return NULL;
}

static void write_duration(struct json_builder *builder, struct str message)
{
    char text[DURATION_TEXT_MAX];
    json_builder_str(builder, duration_write((duration)wire_find_value(message, 1), text));
}

/* RawExtension and JSON: text inside of the message. */
static struct error *write_any(struct json_builder *builder, struct str message)
{
    OWNED(json_doc) doc = NULL;
    const struct str text = wire_find_bytes(message, 1);
    if (text.len == 0) {
        json_builder_null(builder);
        return NULL;
    }
    struct error *err = json_read(text, &doc);
    if (err) {
        err->code = ERROR_BAD_REQUEST;
        return err;
    }
    json_builder_value(builder, json_doc_root(doc));
    return NULL;
}

static struct error *write_message(struct json_builder *builder, enum go_field_kind kind,
                                   struct str message)
{
    TRY(wire_check(message));
    switch (kind) {
    case GO_STRINGS:
        return write_strings(builder, message);
    case GO_QUANTITY:
        return write_quantity(builder, message);
    case GO_TIME:
    case GO_MICRO_TIME:
        return write_time(builder, message, kind == GO_MICRO_TIME);
    case GO_INT_OR_STRING:
        write_int_or_string(builder, message);
        return NULL;
    case GO_DURATION:
        write_duration(builder, message);
        return NULL;
    default:
        return write_any(builder, message);
    }
}

static struct error *write_scalar(struct json_builder *builder, enum go_field_kind kind,
                                  const struct wire_field *value)
{
    switch (kind) {
    case GO_STRING:
        json_builder_str(builder, value->bytes);
        return NULL;
    case GO_BYTES:
        write_bytes(builder, value->bytes);
        return NULL;
    case GO_BOOL:
        json_builder_bool(builder, value->value != 0);
        return NULL;
    case GO_INT32:
        json_builder_int(builder, (int32_t)(uint32_t)value->value);
        return NULL;
    case GO_INT64:
        json_builder_int(builder, (int64_t)value->value);
        return NULL;
    case GO_DOUBLE:
        return write_double(builder, value->value);
    default:
        return write_message(builder, kind, value->bytes);
    }
}

struct error *protobuf_scalar_write(struct json_builder *builder, const struct go_field *field,
                                    const struct wire_field *value)
{
    const enum go_field_kind kind = (enum go_field_kind)field->kind;
    if (value->type != wire_type_of(kind))
        return error_new(ERROR_BAD_REQUEST, "field %s has wire type %d", field->name,
                         (int)value->type);
    TRY(write_scalar(builder, kind, value), "field %s", field->name);
    return NULL;
}

bool protobuf_scalar_is_zero(const struct go_field *field, const struct wire_field *value)
{
    const struct str bytes = value->bytes;
    switch ((enum go_field_kind)field->kind) {
    case GO_BOOL:
    case GO_INT32:
    case GO_INT64:
    case GO_DOUBLE:
        return value->value == 0;
    case GO_TIME:
    case GO_MICRO_TIME:
        return wire_find_value(bytes, 1) == 0 && wire_find_value(bytes, 2) == 0;
    case GO_DURATION:
        return wire_find_value(bytes, 1) == 0;
    case GO_INT_OR_STRING:
        return wire_find_value(bytes, 2) == 0 && wire_find_bytes(bytes, 3).len == 0;
    case GO_QUANTITY:
    case GO_ANY:
        return wire_find_bytes(bytes, 1).len == 0;
    default:
        return bytes.len == 0;
    }
}
