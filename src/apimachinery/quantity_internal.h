/*
 * What reading and writing quantities share. Private to quantity*.c.
 */
#pragma once

#include "apimachinery/quantity.h"

/* Drops zeros at both ends. */
void quantity_trim(struct quantity *quantity);

/* The canonical form: digits, zeros to add to them, and the suffix's power of 10 or of 1024. */
struct quantity_form {
    struct quantity number; /* its digits are written in full */
    size_t zeros;
    int64_t power;
    enum quantity_format format;
};

struct quantity_form quantity_canonical(const struct quantity *quantity);

/* The suffix of a power: "Ki" for 1 in binary, "k" for 3 in decimal, NULL when there is none. */
const char *quantity_suffix(enum quantity_format format, int64_t power);

/* The power and format of a suffix; false when there is no such suffix. */
bool quantity_read_suffix(struct str suffix, enum quantity_format *ret_format, int64_t *ret_power);
