/*
 * Strings as views: a pointer and a length, passed by value. A view never owns the bytes it shows.
 *
 * Text from outside may hold NUL bytes, so C strings appear only where libraries ask for them. The
 * zero value is the empty string.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/owned.h"

struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
/* The same for initialisers of static tables. */
#define STR_INIT(literal)               \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }
#define STR_ARG(s) (int)(s).len, (s).ptr
#define STR_NONE   SIZE_MAX

/* The strings as an array and their number: two arguments of a function. */
#define STR_LIST(...)                  \
    (const struct str[]){__VA_ARGS__}, \
        sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str)

static inline struct str str_from(const char *ptr, size_t len)
{
    return (struct str){ptr, len};
}

static inline struct str str_from_c(const char *c)
{
    return (struct str){c, c ? strlen(c) : 0};
}

static inline bool str_is_empty(struct str s)
{
    return s.len == 0;
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_eq_nocase(struct str a, struct str b); /* ASCII */

/* Bytewise order, as Go orders strings: <0, 0, >0. */
int str_cmp(struct str a, struct str b);

bool str_starts_with(struct str s, struct str prefix);
bool str_ends_with(struct str s, struct str suffix);

/* Position of the first occurrence, or STR_NONE. */
size_t str_find(struct str s, struct str needle);
size_t str_find_char(struct str s, char c);
size_t str_find_last_char(struct str s, char c);

static inline bool str_contains(struct str s, struct str needle)
{
    return str_find(s, needle) != STR_NONE;
}

/* Bytes [from, to); both are clamped to the string. */
struct str str_slice(struct str s, size_t from, size_t to);

/* What follows position from. */
static inline struct str str_skip(struct str s, size_t from)
{
    return str_slice(s, from, s.len);
}

/* Without ASCII white space at either end. */
struct str str_trim(struct str s);

/*
 * Splits at the first separator: ret_head gets the text before it, *rest the text behind it.
 * Without a separator ret_head gets everything, *rest becomes empty, and the result is false.
 */
bool str_cut(struct str *rest, char separator, struct str *ret_head);

/*
 * Decimal numbers. False when the string holds anything but digits (and a '-') or the number does
 * not fit.
 */
bool str_to_int64(struct str s, int64_t *ret_value);
bool str_to_uint64(struct str s, uint64_t *ret_value);

/* The decimal digits of a number; the text lies in the array. */
#define STR_NUMBER_MAX 20
struct str str_number(uint64_t number, char digits[static STR_NUMBER_MAX]);

/* With a seed that outsiders do not know, they cannot choose texts whose hashes collide. */
uint64_t str_hash(struct str s, uint64_t seed);

/*
 * The length in bytes of the UTF-8 character at the front; 0 when there is none or it is not valid.
 */
size_t str_char_len(struct str s);

/* The code point of a text that is one valid character. */
uint32_t str_char_code(struct str character);

/* True when every byte sequence is valid UTF-8 (no surrogates, no over-long forms). */
bool str_is_utf8(struct str s);
