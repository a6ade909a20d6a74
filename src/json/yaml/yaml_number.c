/*
 * Numbers in YAML 1.1 as go-yaml v2 resolves them (resolve.go), and their text forms.
 *
 * An integer is tried first, then a float, as in go-yaml. Underscores are removed before either.
 * Two writers exist: scalar_number_write() for JSON, and scalar_number_write_key() for mapping
 * keys, which sigs.k8s.io/yaml formats differently, as 32-bit floats.
 */
#include "json/yaml/yaml_number.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/memory.h"
#include "json/go_number.h"

/* Nine decimal digits distinguish all floats. */
#define FLOAT_DIGITS_MAX 9

static unsigned digit_value(char c)
{
    if (ascii_is_digit(c))
        return (unsigned)(c - '0');
    return ascii_is_hex(c) ? (unsigned)(ascii_to_lower(c) - 'a') + 10 : 16;
}

/* Reads all of the text in one base. Empty text is 0: Go reads a lone "0" as an octal prefix. */
static bool read_digits(struct str text, unsigned base, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned digit = digit_value(text.ptr[i]);
        if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *ret_value = value;
    return true;
}

/* Removes the prefix that names a base: 0x, 0o, 0b with digits behind it, or a leading 0. */
static unsigned cut_base(struct str *text)
{
    if (text->ptr[0] != '0')
        return 10;
    const char letter = text->len >= 3 ? (char)(text->ptr[1] | 0x20) : ' ';
    const unsigned base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    *text = str_skip(*text, base ? 2 : 1);
    return base ? base : 8;
}

/* SCALAR_NONE when the number fits neither int64 nor uint64. */
static struct scalar_number from_magnitude(bool negative, uint64_t value)
{
    if (!negative && value > INT64_MAX)
        return (struct scalar_number){SCALAR_UINT, .uint64 = value};
    if (value > (uint64_t)INT64_MAX + negative)
        return (struct scalar_number){0};
    return (struct scalar_number){SCALAR_INT,
                                  .int64 = negative ? (int64_t)(0 - value) : (int64_t)value};
}

/* A sign, then digits of the base; 0 means a base by prefix. A sign is refused above int64. */
static struct scalar_number read_integer(struct str text, unsigned base)
{
    uint64_t value;
    const bool has_sign = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
    const bool negative = has_sign && text.ptr[0] == '-';
    if (has_sign)
        text = str_skip(text, 1);
    if (text.len == 0)
        return (struct scalar_number){0};
    if (base == 0)
        base = cut_base(&text);
    if (!read_digits(text, base, &value))
        return (struct scalar_number){0};
    const struct scalar_number number = from_magnitude(negative, value);
    return has_sign && number.type == SCALAR_UINT ? (struct scalar_number){0} : number;
}

static size_t count_digits(struct str text, size_t from)
{
    size_t count = 0;
    while (from + count < text.len && ascii_is_digit(text.ptr[from + count]))
        count++;
    return count;
}

/* [-+]? (.digits | digits[.digits?]) ([eE][-+]?digits)?, the expression of go-yaml. */
static bool is_float(struct str text)
{
    size_t at = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
    const size_t whole = count_digits(text, at);
    at += whole;
    if (at < text.len && text.ptr[at] == '.') {
        const size_t fraction = count_digits(text, ++at);
        if (whole + fraction == 0)
            return false;
        at += fraction;
    } else if (whole == 0) {
        return false;
    }
    if (at < text.len && (text.ptr[at] | 0x20) == 'e') {
        at++;
        if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
            at++;
        const size_t exponent = count_digits(text, at);
        if (exponent == 0)
            return false;
        at += exponent;
    }
    return at == text.len;
}

/* A float that overflows is not a number; go-yaml leaves it as text. */
static struct scalar_number read_float(struct str text)
{
    if (!is_float(text))
        return (struct scalar_number){0};
    char room[64];
    OWNED_PTR char *heap = text.len < sizeof(room) ? NULL : mem_dup(text.ptr, text.len);
    if (!heap) {
        memcpy(room, text.ptr, text.len);
        room[text.len] = 0;
    }
    const double real = strtod(heap ? heap : room, NULL);
    if (!isfinite(real))
        return (struct scalar_number){0};
    return (struct scalar_number){SCALAR_FLOAT, .real = real};
}

static struct scalar_number read_plain(struct str text)
{
    struct scalar_number number = read_integer(text, 0);
    if (number.type)
        return number;
    number = read_float(text);
    if (number.type)
        return number;
    /* go-yaml accepts a sign behind the prefix, too: 0b-1 is -1. */
    return str_starts_with(text, STR("0b")) ? read_integer(str_skip(text, 2), 2) : number;
}

static struct scalar_number read_without_underscores(struct str text,
                                                     struct scalar_number (*read)(struct str text))
{
    if (str_find_char(text, '_') == STR_NONE)
        return read(text);
    SCOPED(buf) plain = {.limit = text.len};
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '_')
            buf_add_char(&plain, text.ptr[i]);
    return read(buf_str(&plain));
}

struct scalar_number scalar_number_read(struct str text)
{
    return read_without_underscores(text, read_plain);
}

struct scalar_number scalar_number_read_fraction(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '_' && !(i > 0 && ascii_is_digit(text.ptr[i - 1]) && i + 1 < text.len &&
                                    ascii_is_digit(text.ptr[i + 1])))
            return (struct scalar_number){0};
    return read_without_underscores(text, read_float);
}

double scalar_number_to_double(struct scalar_number number)
{
    switch (number.type) {
    case SCALAR_INT:
        return (double)number.int64;
    case SCALAR_UINT:
        return (double)number.uint64;
    default:
        return number.real;
    }
}

void scalar_number_write(struct buf *buf, struct scalar_number number)
{
    char text[GO_NUMBER_TEXT_MAX];
    if (number.type == SCALAR_INT)
        buf_print(buf, "%" PRId64, number.int64);
    else if (number.type == SCALAR_UINT)
        buf_print(buf, "%" PRIu64, number.uint64);
    else
        buf_add(buf, go_number_write_double(number.real, text));
}

/* Decimal digits without trailing zeros, and the exponent of the first one. */
struct digits {
    char text[FLOAT_DIGITS_MAX + 1];
    size_t count;
    int exponent;
};

static void split_digits(const char *scientific, struct digits *ret_digits)
{
    const char *at = scientific;
    ret_digits->count = 0;
    for (; *at && *at != 'e'; at++)
        if (*at != '.')
            ret_digits->text[ret_digits->count++] = *at;
    ret_digits->exponent = (int)strtol(at + 1, NULL, 10);
    while (ret_digits->count > 1 && ret_digits->text[ret_digits->count - 1] == '0')
        ret_digits->count--;
}

/*
 * The fewest digits that read back as the same float. Six digits always survive in a normal number,
 * so fewer are not tried: they show up as trailing zeros. Denormal numbers hold less.
 */
static void find_digits(float positive, struct digits *ret_digits)
{
    char text[32];
    int precision = positive < FLT_MIN ? 1 : FLT_DIG;
    for (;; precision++) {
        snprintf(text, sizeof(text), "%.*e", precision - 1, (double)positive);
        if (strtof(text, NULL) == positive || precision == FLOAT_DIGITS_MAX)
            break;
    }
    split_digits(text, ret_digits);
}

static void add_zeros(struct buf *buf, int count)
{
    for (int i = 0; i < count; i++)
        buf_add_char(buf, '0');
}

/* Without an exponent: zeros are added in front of or behind the digits. */
static void add_positional(struct buf *buf, const struct digits *digits)
{
    const struct str text = str_from(digits->text, digits->count);
    const int point = digits->exponent + 1; /* digits in front of it */
    if (point <= 0) {
        buf_add(buf, STR("0."));
        add_zeros(buf, -point);
        buf_add(buf, text);
    } else if ((size_t)point >= text.len) {
        buf_add(buf, text);
        add_zeros(buf, point - (int)text.len);
    } else {
        buf_add(buf, str_slice(text, 0, (size_t)point));
        buf_add_char(buf, '.');
        buf_add(buf, str_skip(text, (size_t)point));
    }
}

static void add_scientific(struct buf *buf, const struct digits *digits)
{
    buf_add_char(buf, digits->text[0]);
    if (digits->count > 1) {
        buf_add_char(buf, '.');
        buf_add(buf, str_from(digits->text + 1, digits->count - 1));
    }
    buf_print(buf, "e%c%02d", digits->exponent < 0 ? '-' : '+', abs(digits->exponent));
}

/* Go's strconv.FormatFloat(x, 'g', -1, 32), with the words of YAML for infinity and NaN. */
void scalar_number_write_key(struct buf *buf, double real)
{
    const float rounded = (float)real;
    if (isnan(rounded)) {
        buf_add(buf, STR(".nan"));
        return;
    }
    if (signbit(rounded))
        buf_add_char(buf, '-');
    if (isinf(rounded)) {
        buf_add(buf, STR(".inf"));
        return;
    }
    struct digits digits = {0};
    find_digits(fabsf(rounded), &digits);
    if (rounded != 0 && (digits.exponent < -4 || digits.exponent >= 6))
        add_scientific(buf, &digits);
    else
        add_positional(buf, &digits);
}
