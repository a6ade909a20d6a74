/*
 * A field that is a number or a text, such as a port or "25%".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

struct int_or_string {
    bool is_string;
    int32_t number;
    struct str text; /* borrowed */
};

/* ERROR_INVALID when it is neither a string nor a whole number of 32 bits. */
MUST_USE struct error *int_or_string_from_value(const struct json_value *value,
                                                struct int_or_string *ret_value);

/* A number as it is, or a percentage of total, rounded up or down. */
MUST_USE struct error *int_or_string_scale(struct int_or_string value, int32_t total, bool round_up,
                                           int64_t *ret_number);
