#include "apimachinery/quantity.h"

#include "apimachinery/quantity_internal.h"

/* Suffix, format, power of 10 or of 1024. "e3" and the like are not in the table. */
static const struct {
    const char *text;
    enum quantity_format format;
    int64_t power;
} suffixes[] = {
    {"",   QUANTITY_DECIMAL_SI, 0 },
    {"n",  QUANTITY_DECIMAL_SI, -9},
    {"u",  QUANTITY_DECIMAL_SI, -6},
    {"m",  QUANTITY_DECIMAL_SI, -3},
    {"k",  QUANTITY_DECIMAL_SI, 3 },
    {"M",  QUANTITY_DECIMAL_SI, 6 },
    {"G",  QUANTITY_DECIMAL_SI, 9 },
    {"T",  QUANTITY_DECIMAL_SI, 12},
    {"P",  QUANTITY_DECIMAL_SI, 15},
    {"E",  QUANTITY_DECIMAL_SI, 18},
    {"Ki", QUANTITY_BINARY_SI,  1 },
    {"Mi", QUANTITY_BINARY_SI,  2 },
    {"Gi", QUANTITY_BINARY_SI,  3 },
    {"Ti", QUANTITY_BINARY_SI,  4 },
    {"Pi", QUANTITY_BINARY_SI,  5 },
    {"Ei", QUANTITY_BINARY_SI,  6 },
};

bool quantity_read_suffix(struct str suffix, enum quantity_format *ret_format, int64_t *ret_power)
{
    for (size_t i = 0; i < COUNT(suffixes); i++)
        if (str_eq(suffix, str_from_c(suffixes[i].text))) {
            *ret_format = suffixes[i].format;
            *ret_power = suffixes[i].power;
            return true;
        }
    if (!str_starts_with(suffix, STR("e")) && !str_starts_with(suffix, STR("E")))
        return false;
    struct str number = str_skip(suffix, 1);
    if (str_starts_with(number, STR("+")))
        number = str_skip(number, 1);
    *ret_format = QUANTITY_DECIMAL_EXPONENT;
    return str_to_int64(number, ret_power) && *ret_power >= INT32_MIN && *ret_power <= INT32_MAX;
}

const char *quantity_suffix(enum quantity_format format, int64_t power)
{
    for (size_t i = 0; i < COUNT(suffixes); i++)
        if (suffixes[i].power == power && (suffixes[i].format == format || power == 0))
            return suffixes[i].text;
    return NULL;
}

void quantity_trim(struct quantity *quantity)
{
    size_t zeros = 0;
    while (zeros < quantity->count && quantity->digits[zeros] == 0)
        zeros++;
    memmove(quantity->digits, quantity->digits + zeros, quantity->count - zeros);
    quantity->count -= zeros;
    while (quantity->count && quantity->digits[quantity->count - 1] == 0) {
        quantity->count--;
        quantity->exponent++;
    }
    if (quantity->count == 0)
        quantity->exponent = 0;
}

int quantity_sign(const struct quantity *quantity)
{
    if (quantity->count == 0)
        return 0;
    return quantity->negative ? -1 : 1;
}

static int sign_of(int64_t number)
{
    return (number > 0) - (number < 0);
}

/* Without regard to signs; neither is zero. */
static int cmp_magnitude(const struct quantity *a, const struct quantity *b)
{
    const int by_size =
        sign_of(((int64_t)a->count + a->exponent) - ((int64_t)b->count + b->exponent));
    if (by_size)
        return by_size;
    const size_t most = a->count > b->count ? a->count : b->count;
    for (size_t i = 0; i < most; i++) {
        const int left = i < a->count ? a->digits[i] : 0;
        const int right = i < b->count ? b->digits[i] : 0;
        if (left != right)
            return left - right;
    }
    return 0;
}

int quantity_cmp(const struct quantity *a, const struct quantity *b)
{
    const int sign = quantity_sign(a), other = quantity_sign(b);
    if (sign != other || sign == 0)
        return sign - other;
    return sign * cmp_magnitude(a, b);
}

/* The value in units of 10^unit, rounded away from zero. */
static bool scale_to_unit(const struct quantity *quantity, int64_t unit, int64_t *ret_value)
{
    const int64_t places = (int64_t)quantity->count + quantity->exponent - unit;
    int64_t value = 0;
    if (places > 19)
        return quantity->count == 0 ? (*ret_value = 0, true) : false;
    for (int64_t i = 0; i < places; i++) {
        const int digit = i < (int64_t)quantity->count ? quantity->digits[i] : 0;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, quantity->negative ? -digit : digit, &value))
            return false;
    }
    const bool inexact = places < (int64_t)quantity->count;
    if (inexact && __builtin_add_overflow(value, quantity->negative ? -1 : 1, &value))
        return false;
    *ret_value = value;
    return true;
}

bool quantity_value(const struct quantity *quantity, int64_t *ret_value)
{
    return scale_to_unit(quantity, 0, ret_value);
}

bool quantity_milli(const struct quantity *quantity, int64_t *ret_milli)
{
    return scale_to_unit(quantity, -3, ret_milli);
}

/* Digits and a power of ten that is a multiple of three. */
static struct quantity_form decimal_form(const struct quantity *quantity)
{
    const int64_t zeros = ((quantity->exponent % 3) + 3) % 3;
    return (struct quantity_form){
        .number = *quantity,
        .zeros = (size_t)zeros,
        .power = quantity->exponent - zeros,
        .format = quantity->format == QUANTITY_BINARY_SI ? QUANTITY_DECIMAL_SI : quantity->format,
    };
}

static bool is_below_1024(int64_t value)
{
    return value > -1024 && value < 1024;
}

/* Divided by 1024 as often as it goes. The value fits 64 bits: that is where binary ones end. */
static struct quantity_form binary_form(const struct quantity *quantity, int64_t value)
{
    struct quantity_form form = {.format = QUANTITY_BINARY_SI};
    while (value % 1024 == 0) {
        value /= 1024;
        form.power++;
    }
    char text[24];
    const int len = snprintf(text, sizeof(text), "%lld", (long long)value);
    form.number.negative = quantity->negative;
    for (int i = quantity->negative ? 1 : 0; i < len; i++)
        form.number.digits[form.number.count++] = (uint8_t)(text[i] - '0');
    return form;
}

struct quantity_form quantity_canonical(const struct quantity *quantity)
{
    int64_t value;
    const bool whole = quantity->exponent >= 0;
    if (quantity->format != QUANTITY_BINARY_SI || !whole || !quantity_value(quantity, &value) ||
        is_below_1024(value))
        return decimal_form(quantity);
    return binary_form(quantity, value);
}

static void add_suffix(struct buf *out, const struct quantity_form *form)
{
    const char *suffix = form->format == QUANTITY_DECIMAL_EXPONENT
                             ? NULL
                             : quantity_suffix(form->format, form->power);
    if (suffix)
        buf_add(out, str_from_c(suffix));
    else if (form->power)
        /* Also for powers that have no letter, where upstream forgets the power altogether. */
        buf_print(out, "e%lld", (long long)form->power);
}

void quantity_write_canonical(struct buf *out, const struct quantity *quantity)
{
    if (quantity->count == 0) {
        buf_add_char(out, '0');
        return;
    }
    const struct quantity_form form = quantity_canonical(quantity);
    if (quantity->negative)
        buf_add_char(out, '-');
    for (size_t i = 0; i < form.number.count; i++)
        buf_add_char(out, (char)('0' + form.number.digits[i]));
    for (size_t i = 0; i < form.zeros; i++)
        buf_add_char(out, '0');
    add_suffix(out, &form);
}

void quantity_write(struct buf *out, const struct quantity *quantity)
{
    if (quantity->keeps_text)
        buf_add(out, str_from(quantity->text, quantity->text_len));
    else
        quantity_write_canonical(out, quantity);
}
