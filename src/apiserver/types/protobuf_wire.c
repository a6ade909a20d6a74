/*
 * The wire format of protobuf: fields with a number, a wire type and a value.
 *
 * Nothing is copied: fields point into the message. Groups, which Kubernetes does not use, are
 * refused. Of a field that is there several times the last one counts, as in every decoder of
 * protobuf.
 */
#include "apiserver/types/protobuf_wire.h"

#define FIELD_NUMBER_MAX ((UINT64_C(1) << 29) - 1)

static bool take_varint(struct str *message, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < message->len && i < 10; i++) {
        const uint8_t byte = (uint8_t)message->ptr[i];
        if (i == 9 && byte > 1)
            return false; /* more than 64 bits */
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *message = str_skip(*message, i + 1);
            *ret_value = value;
            return true;
        }
    }
    return false;
}

/* Little end first. */
static bool take_fixed(struct str *message, size_t size, uint64_t *ret_value)
{
    if (message->len < size)
        return false;
    *ret_value = 0;
    for (size_t i = 0; i < size; i++)
        *ret_value |= (uint64_t)(uint8_t)message->ptr[i] << (8 * i);
    *message = str_skip(*message, size);
    return true;
}

static bool take_bytes(struct str *message, struct str *ret_bytes)
{
    uint64_t len;
    if (!take_varint(message, &len) || len > message->len)
        return false;
    *ret_bytes = str_slice(*message, 0, len);
    *message = str_skip(*message, len);
    return true;
}

/* The value behind a tag. Unknown wire types end the message. */
static bool take_content(struct str *message, struct wire_field *field)
{
    switch (field->type) {
    case WIRE_VARINT:
        return take_varint(message, &field->value);
    case WIRE_FIXED64:
        return take_fixed(message, 8, &field->value);
    case WIRE_FIXED32:
        return take_fixed(message, 4, &field->value);
    case WIRE_BYTES:
        return take_bytes(message, &field->bytes);
    }
    return false;
}

/* Field numbers are at most 29 bits long. */
enum wire_state wire_next(struct str *message, struct wire_field *ret_field)
{
    uint64_t tag;
    if (message->len == 0)
        return WIRE_END;
    if (!take_varint(message, &tag))
        return WIRE_BROKEN;
    *ret_field = (struct wire_field){.number = tag >> 3, .type = (enum wire_type)(tag & 7)};
    if (ret_field->number == 0 || ret_field->number > FIELD_NUMBER_MAX)
        return WIRE_BROKEN;
    return take_content(message, ret_field) ? WIRE_FIELD : WIRE_BROKEN;
}

bool wire_find(struct str message, uint64_t number, enum wire_type type,
               struct wire_field *ret_field)
{
    bool found = false;
    for (struct wire_field field; wire_next(&message, &field) == WIRE_FIELD;)
        if (field.number == number && field.type == type) {
            *ret_field = field;
            found = true;
        }
    return found;
}

uint64_t wire_find_value(struct str message, uint64_t number)
{
    struct wire_field field;
    return wire_find(message, number, WIRE_VARINT, &field) ? field.value : 0;
}

struct str wire_find_bytes(struct str message, uint64_t number)
{
    struct wire_field field;
    return wire_find(message, number, WIRE_BYTES, &field) ? field.bytes : (struct str){NULL, 0};
}

struct error *wire_check(struct str message)
{
    struct wire_field field;
    enum wire_state state;
    while ((state = wire_next(&message, &field)) == WIRE_FIELD)
        continue;
    if (state == WIRE_BROKEN)
        return error_new(ERROR_BAD_REQUEST, "malformed protobuf message");
    return NULL;
}
