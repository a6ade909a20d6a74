/*
 * The protobuf wire format: a message as a row of numbered fields.
 *
 * Readers stay inside the bytes they were given, whatever lengths these claim. Groups, which no
 * Kubernetes type has, are refused.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5,
};

struct wire_field {
    uint64_t number;
    enum wire_type type;
    uint64_t value;   /* of all types but WIRE_BYTES */
    struct str bytes; /* of WIRE_BYTES; a string, bytes or a message */
};

enum wire_state {
    WIRE_FIELD,
    WIRE_END,
    WIRE_BROKEN, /* nothing more can be read */
};

/* Takes the next field off a message. */
enum wire_state wire_next(struct str *message, struct wire_field *ret_field);

/*
 * The last field with a number and type, which is the one that counts. False when there is none or
 * the message is broken.
 */
bool wire_find(struct str message, uint64_t number, enum wire_type type,
               struct wire_field *ret_field);

/* The same as a number or as bytes; 0 or empty when it is absent. */
uint64_t wire_find_value(struct str message, uint64_t number);
struct str wire_find_bytes(struct str message, uint64_t number);

/* ERROR_BAD_REQUEST when the fields of this message, not those below, do not end where it ends. */
MUST_USE struct error *wire_check(struct str message);
