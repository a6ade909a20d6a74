/*
 * Classes of ASCII characters.
 *
 * The functions of <ctype.h> depend on the locale and are undefined for negative values of char.
 * The functions below know ASCII alone; every other byte belongs to no class.
 */
#pragma once

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(char c)
{
    return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool ascii_is_alphanumeric(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline bool ascii_is_hex(char c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* 0 to 15 for a hexadecimal digit of either case, -1 for any other character. */
static inline int ascii_hex_value(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Space, tab, line feed, vertical tab, form feed and carriage return: isspace() in the C locale. */
static inline bool ascii_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char ascii_to_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline char ascii_to_upper(char c)
{
    return ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}
