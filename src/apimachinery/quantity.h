/*
 * Quantities of resources: "100m", "1.5Gi", "1e3".
 *
 * A quantity is an exact decimal number with at most nine digits behind the point; more precise
 * ones are rounded away from zero, so that who asks for something gets something. It remembers the
 * form it was written in and is written canonically: "1024Ki" becomes "1Mi", "0.5" becomes "500m".
 * Binary ones are capped at the greatest 64-bit integer.
 *
 * Plain data of fixed size; nothing to release.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Longer texts are refused; upstream has no limit. */
#define QUANTITY_TEXT_MAX 128

/* Room for the digits of the longest text times 2^60. */
#define QUANTITY_DIGITS_MAX 160

enum quantity_format {
    QUANTITY_DECIMAL_SI,
    QUANTITY_BINARY_SI,
    QUANTITY_DECIMAL_EXPONENT,
};

struct quantity {
    enum quantity_format format;
    bool negative;
    /* digits * 10^exponent, first digit first, none of them a zero at the end; none for 0. */
    int64_t exponent;
    size_t count;
    uint8_t digits[QUANTITY_DIGITS_MAX];
    /* As it was written, and whether that is kept; see quantity_write(). */
    char text[QUANTITY_TEXT_MAX];
    size_t text_len;
    bool keeps_text;
};

/* ERROR_PARSE with the message Kubernetes gives. */
MUST_USE struct error *quantity_read(struct str text, struct quantity *ret_quantity);

/* -1, 0, 1. */
int quantity_sign(const struct quantity *quantity);

/* By value, whatever the form: <0, 0, >0. */
int quantity_cmp(const struct quantity *a, const struct quantity *b);

/* Rounded away from zero to whole units, or to thousandths; false when it does not fit 64 bits. */
bool quantity_value(const struct quantity *quantity, int64_t *ret_value);
bool quantity_milli(const struct quantity *quantity, int64_t *ret_milli);

/* The canonical text. */
void quantity_write_canonical(struct buf *out, const struct quantity *quantity);

/*
 * What an API server answers: canonical, unless the text as written differs from that in spelling
 * alone ("+1", "007", "1E3"), which is then kept.
 */
void quantity_write(struct buf *out, const struct quantity *quantity);
