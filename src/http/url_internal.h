/* Character classes shared by url.c and url_write.c. */
#pragma once

#include <stdbool.h>

#include "base/ascii.h"

/* The value of a hexadecimal digit, or -1. */
static inline int url_hex_value(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    return ascii_is_hex(c) ? ascii_to_lower(c) - 'a' + 10 : -1;
}

/* Characters that never need an escape (RFC 3986, 2.3). */
static inline bool url_is_unreserved(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
