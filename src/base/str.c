/*
 * Strings as views; also decimal numbers, SipHash and UTF-8.
 *
 * No function here allocates, and none reads past the length of its argument. memcmp(), memchr()
 * and their like are not called with a NULL pointer, which is undefined even for a length of 0.
 */
#include "base/str.h"

#include "base/ascii.h"

bool str_eq_nocase(struct str a, struct str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (ascii_to_lower(a.ptr[i]) != ascii_to_lower(b.ptr[i]))
            return false;
    return true;
}

int str_cmp(struct str a, struct str b)
{
    const size_t shared = a.len < b.len ? a.len : b.len;
    const int order = shared ? memcmp(a.ptr, b.ptr, shared) : 0;
    if (order)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool str_starts_with(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq(str_from(s.ptr, prefix.len), prefix);
}

bool str_ends_with(struct str s, struct str suffix)
{
    return s.len >= suffix.len && str_eq(str_skip(s, s.len - suffix.len), suffix);
}

size_t str_find(struct str s, struct str needle)
{
    if (needle.len == 0)
        return 0;
    if (s.len < needle.len)
        return STR_NONE;
    const char *at = memmem(s.ptr, s.len, needle.ptr, needle.len);
    return at ? (size_t)(at - s.ptr) : STR_NONE;
}

size_t str_find_char(struct str s, char c)
{
    const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return at ? (size_t)(at - s.ptr) : STR_NONE;
}

size_t str_find_last_char(struct str s, char c)
{
    const char *at = s.len ? memrchr(s.ptr, c, s.len) : NULL;
    return at ? (size_t)(at - s.ptr) : STR_NONE;
}

/* The empty slice has no pointer: it cannot be used to reach the text behind it. */
struct str str_slice(struct str s, size_t from, size_t to)
{
    if (to > s.len)
        to = s.len;
    if (from >= to)
        return (struct str){0};
    return str_from(s.ptr + from, to - from);
}

struct str str_trim(struct str s)
{
    while (s.len && ascii_is_space(s.ptr[0]))
        s = str_skip(s, 1);
    while (s.len && ascii_is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool str_cut(struct str *rest, char separator, struct str *ret_head)
{
    const size_t at = str_find_char(*rest, separator);
    if (at == STR_NONE) {
        *ret_head = *rest;
        *rest = (struct str){0};
        return false;
    }
    *ret_head = str_slice(*rest, 0, at);
    *rest = str_skip(*rest, at + 1);
    return true;
}

bool str_to_uint64(struct str s, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!ascii_is_digit(s.ptr[i]))
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.ptr[i] - '0'), &value))
            return false;
    }
    *ret_value = value;
    return true;
}

/* The magnitude of a negative number may be one more than that of a positive one. */
bool str_to_int64(struct str s, int64_t *ret_value)
{
    const bool negative = s.len && s.ptr[0] == '-';
    uint64_t magnitude;
    if (!str_to_uint64(negative ? str_skip(s, 1) : s, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *ret_value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

static uint64_t rotate(uint64_t word, int by)
{
    return (word << by) | (word >> (64 - by));
}

static void sip_round(uint64_t v[static 4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/*
 * SipHash-1-3. A plain multiplying hash is not enough: with a seed that is only mixed into its
 * start, texts that collide under one seed can be built to collide under all of them.
 */
uint64_t str_hash(struct str s, uint64_t seed)
{
    const uint64_t second = seed * 0x9e3779b97f4a7c15ULL + 1; /* the other half of the key */
    uint64_t v[4] = {seed ^ 0x736f6d6570736575ULL, second ^ 0x646f72616e646f6dULL,
                     seed ^ 0x6c7967656e657261ULL, second ^ 0x7465646279746573ULL};
    uint64_t word;
    size_t at = 0;
    for (; s.len - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, s.ptr + at, sizeof(word));
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = (uint64_t)s.len << 56;
    for (size_t i = 0; at + i < s.len; i++)
        word |= (uint64_t)(unsigned char)s.ptr[at + i] << (8 * i);
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Writes from the last digit to the first. */
struct str str_number(uint64_t number, char digits[static STR_NUMBER_MAX])
{
    char *first = digits + STR_NUMBER_MAX;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return str_from(first, (size_t)(digits + STR_NUMBER_MAX - first));
}

/* Length of the sequence that starts with this byte, 0 when none does. */
static size_t utf8_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/*
 * The range of the second byte excludes over-long forms, surrogates and code points past U+10FFFF.
 */
static bool utf8_second_fits(unsigned char first, unsigned char second)
{
    const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

/* The table 3-7 of the Unicode standard, "Well-Formed UTF-8 Byte Sequences". */
size_t str_char_len(struct str s)
{
    const unsigned char *bytes = (const unsigned char *)s.ptr;
    const size_t len = s.len ? utf8_length(bytes[0]) : 0;
    if (len == 0 || len > s.len)
        return 0;
    if (len > 1 && !utf8_second_fits(bytes[0], bytes[1]))
        return 0;
    for (size_t i = 2; i < len; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

uint32_t str_char_code(struct str character)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *bytes = (const unsigned char *)character.ptr;
    uint32_t code = bytes[0] & masks[character.len];
    for (size_t i = 1; i < character.len; i++)
        code = code << 6 | (bytes[i] & 0x3f);
    return code;
}

/* How many ASCII characters the text begins with. Nearly all texts have no others, so eight are
 * read at once. */
static size_t count_ascii(struct str s)
{
    size_t at = 0;
    for (uint64_t word; s.len - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, s.ptr + at, sizeof(word));
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < s.len && (unsigned char)s.ptr[at] < 0x80)
        at++;
    return at;
}

bool str_is_utf8(struct str s)
{
    for (;;) {
        s = str_skip(s, count_ascii(s));
        if (s.len == 0)
            return true;
        const size_t len = str_char_len(s);
        if (len == 0)
            return false;
        s = str_skip(s, len);
    }
}
