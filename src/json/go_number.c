/*
 * Numbers as Go reads, writes and compares them.
 *
 * yyjson converts between text and doubles exactly and independent of the locale. The rest is form:
 * Go writes the shortest digits that read back as the same double, without exponent from 1e-6 to
 * 1e21 (encoding/json, floatEncoder). Most numbers in Kubernetes objects are short integers, which
 * take none of these steps.
 */
#include "json/go_number.h"

#include <math.h>

#include "base/ascii.h"

/* Digits that surely fit: 10^18 - 1 is below INT64_MAX. */
#define SAFE_DIGITS 18

/* Reads an integer token of up to SAFE_DIGITS digits; false for any other token. */
static bool read_small(struct str token, int64_t *ret_value)
{
    const bool negative = token.len && token.ptr[0] == '-';
    if (token.len == 0 || token.len - negative > SAFE_DIGITS)
        return false;
    int64_t value = 0;
    for (size_t i = negative; i < token.len; i++) {
        if (!ascii_is_digit(token.ptr[i]))
            return false;
        value = value * 10 + (token.ptr[i] - '0');
    }
    *ret_value = negative ? -value : value;
    return true;
}

static struct go_number from_native(const yyjson_val *val)
{
    switch (val->tag & YYJSON_SUBTYPE_MASK) {
    case YYJSON_SUBTYPE_UINT:
        if (val->uni.u64 > INT64_MAX)
            return (struct go_number){.kind = GO_NUMBER_UINT, .u = val->uni.u64};
        return (struct go_number){.kind = GO_NUMBER_INT, .i = (int64_t)val->uni.u64};
    case YYJSON_SUBTYPE_SINT:
        return (struct go_number){.kind = GO_NUMBER_INT, .i = val->uni.i64};
    default:
        return (struct go_number){.kind = GO_NUMBER_REAL, .d = val->uni.f64};
    }
}

/* Reads any number. yyjson needs a NUL behind the text, so the text is copied. */
static bool read_any(struct str token, yyjson_val *ret_val)
{
    char small[64];
    OWNED_PTR char *large = NULL;
    if (token.len >= sizeof(small))
        large = mem_alloc(token.len + 1);
    char *text = large ? large : small;
    memcpy(text, token.ptr, token.len);
    text[token.len] = '\0';
    return yyjson_read_number(text, ret_val, YYJSON_READ_NOFLAG, &json_alc, NULL) != NULL;
}

/* A token beyond a double is infinite. Documents hold none, since read.c refuses them. */
struct go_number go_number_read(const yyjson_val *val)
{
    if (val_type(val) == YYJSON_TYPE_NUM)
        return from_native(val);
    int64_t small;
    if (read_small(val_str(val), &small))
        return (struct go_number){.kind = GO_NUMBER_INT, .i = small};
    yyjson_val any;
    if (!read_any(val_str(val), &any))
        return (struct go_number){.kind = GO_NUMBER_REAL, .d = HUGE_VAL};
    return from_native(&any);
}

bool go_number_is_infinite(struct str token)
{
    yyjson_val any;
    return go_number_may_be_infinite(token) && !read_any(token, &any);
}

/* Significant digits and the position of the point: the value is 0.DIGITS * 10^point. */
struct decimal {
    char digits[GO_NUMBER_TEXT_MAX];
    int count, point;
};

static void decimal_add(struct decimal *decimal, char digit)
{
    if (decimal->count == 0 && digit == '0')
        decimal->point--; /* a leading zero */
    else if (decimal->count < GO_NUMBER_TEXT_MAX)
        decimal->digits[decimal->count++] = digit;
}

/* Takes yyjson's text apart: the shortest digits that read back as the same double. */
static struct decimal decimal_from_text(const char *text)
{
    struct decimal decimal = {.count = 0};
    for (; ascii_is_digit(*text); text++) {
        decimal.point++;
        decimal_add(&decimal, *text);
    }
    if (*text == '.')
        for (text++; ascii_is_digit(*text); text++)
            decimal_add(&decimal, *text);
    if (*text == 'e' || *text == 'E')
        decimal.point += (int)strtol(text + 1, NULL, 10);
    while (decimal.count > 0 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    return decimal;
}

/* Without an exponent: zeros are added in front of or behind the digits. */
static size_t write_plain(const struct decimal *decimal, char *out)
{
    size_t len = 0;
    if (decimal->point <= 0)
        out[len++] = '0';
    for (int i = 0; i < decimal->point; i++)
        out[len++] = i < decimal->count ? decimal->digits[i] : '0';
    if (decimal->count > decimal->point) {
        out[len++] = '.';
        for (int i = decimal->point; i < decimal->count; i++)
            out[len++] = i < 0 ? '0' : decimal->digits[i];
    }
    return len;
}

/* One digit, the other digits behind a point, and the exponent without leading zeros. */
static size_t write_exponent(const struct decimal *decimal, char *out)
{
    size_t len = 0;
    out[len++] = decimal->digits[0];
    if (decimal->count > 1) {
        out[len++] = '.';
        memcpy(out + len, decimal->digits + 1, (size_t)decimal->count - 1);
        len += (size_t)decimal->count - 1;
    }
    return len + (size_t)snprintf(out + len, GO_NUMBER_TEXT_MAX - len, "e%+d", decimal->point - 1);
}

/* Uses a buffer on the stack instead of the heap, since yyjson allocates what it writes. */
struct str go_number_write_double(double value, char text[static GO_NUMBER_TEXT_MAX])
{
    size_t len = 0;
    if (signbit(value))
        text[len++] = '-';
    if (fpclassify(value) == FP_ZERO) {
        text[len++] = '0';
        return str_from(text, len);
    }
    yyjson_val val = {.tag = 0};
    unsafe_yyjson_set_real(&val, fabs(value));
    char pool[1024];
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, pool, sizeof(pool));
    const char *shortest =
        yyjson_val_write_opts(&val, YYJSON_WRITE_INF_AND_NAN_AS_NULL, &alc, NULL, NULL);
    const struct decimal decimal = decimal_from_text(shortest ? shortest : "0");
    if (decimal.count == 0)
        return STR("null"); /* infinity has no JSON form; documents never hold it */
    len += decimal.point <= -6 || decimal.point > 21 ? write_exponent(&decimal, text + len)
                                                     : write_plain(&decimal, text + len);
    return str_from(text, len);
}

static struct str write_number(struct go_number number, char text[static GO_NUMBER_TEXT_MAX])
{
    int len = 0;
    switch (number.kind) {
    case GO_NUMBER_INT:
        len = snprintf(text, GO_NUMBER_TEXT_MAX, "%lld", (long long)number.i);
        break;
    case GO_NUMBER_UINT:
        len = snprintf(text, GO_NUMBER_TEXT_MAX, "%llu", (unsigned long long)number.u);
        break;
    case GO_NUMBER_REAL:
        return go_number_write_double(number.d, text);
    }
    return str_from(text, (size_t)len);
}

struct str go_number_token(const yyjson_val *val, char text[static GO_NUMBER_TEXT_MAX])
{
    if (val_type(val) == YYJSON_TYPE_RAW)
        return val_str(val);
    return write_number(go_number_read(val), text);
}

/*
 * True for a decimal fraction that Go writes the same way: a double keeps 15 digits, so few digits
 * are their own shortest form. Excluded are exponents, a zero at the end, and fractions below 1e-6.
 */
static bool is_short_decimal(struct str token)
{
    const bool negative = token.ptr[0] == '-';
    const size_t point = str_find_char(token, '.');
    if (point == STR_NONE || token.len - negative > 16 || token.ptr[token.len - 1] == '0')
        return false;
    size_t zeros = 0; /* behind the point */
    while (token.ptr[point + 1 + zeros] == '0')
        zeros++;
    for (size_t i = negative; i < token.len; i++)
        if (!ascii_is_digit(token.ptr[i]) && i != point)
            return false;
    return token.ptr[negative] != '0' || zeros < 6;
}

/* True when Go writes the number as its token. An integer of few digits is, except for -0. */
static bool is_written(struct str token)
{
    int64_t value;
    if (read_small(token, &value))
        return value != 0 || token.len == 1;
    return is_short_decimal(token);
}

struct str go_number_text(const yyjson_val *val, char text[static GO_NUMBER_TEXT_MAX])
{
    if (val_type(val) == YYJSON_TYPE_RAW && is_written(val_str(val)))
        return val_str(val);
    return write_number(go_number_read(val), text);
}

bool go_number_has_token_of(const yyjson_val *a, const yyjson_val *b)
{
    char a_text[GO_NUMBER_TEXT_MAX], b_text[GO_NUMBER_TEXT_MAX];
    return str_eq(go_number_token(a, a_text), go_number_token(b, b_text));
}

/*
 * Compares an integer with a double by text: a double past 2^53 is written with fewer digits than
 * it has, and the text is what a server stores.
 */
static bool has_text_of(const struct go_number *a, const struct go_number *b)
{
    char a_text[GO_NUMBER_TEXT_MAX], b_text[GO_NUMBER_TEXT_MAX];
    return str_eq(write_number(*a, a_text), write_number(*b, b_text));
}

bool go_number_equals(const yyjson_val *a, const yyjson_val *b)
{
    struct go_number x = go_number_read(a), y = go_number_read(b);
    if (x.kind == GO_NUMBER_REAL && fpclassify(x.d) == FP_ZERO)
        x = (struct go_number){.kind = GO_NUMBER_INT}; /* -0.0 */
    if (y.kind == GO_NUMBER_REAL && fpclassify(y.d) == FP_ZERO)
        y = (struct go_number){.kind = GO_NUMBER_INT};
    if (x.kind != y.kind)
        return has_text_of(&x, &y);
    if (x.kind == GO_NUMBER_REAL)
        return x.d >= y.d && x.d <= y.d;
    return x.kind == GO_NUMBER_INT ? x.i == y.i : x.u == y.u;
}
