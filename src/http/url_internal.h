/* Character classes shared by url.c and url_write.c. */
#pragma once

#include <stdbool.h>

/* The value of a hexadecimal digit, or -1. */
static inline int url_hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Characters that never need an escape (RFC 3986, 2.3). */
static inline bool url_is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}
