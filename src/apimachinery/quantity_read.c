/* Reading quantities: parts of the text, digits, rounding, and whether the text is kept. */
#include "apimachinery/quantity_internal.h"
#include "base/ascii.h"

#define NANO (-9)

/* A text taken apart: sign, digits before and behind the point, suffix. */
struct parts {
    bool negative;
    struct str whole, fraction, suffix;
};

static struct error *wrong_format(void)
{
    return error_new(ERROR_PARSE, "quantities must match the regular expression "
                                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

static bool is_suffix_letter(char c)
{
    return str_find_char(STR("eEinumkKMGTP"), c) != STR_NONE;
}

/* The longest start of which every character fits; the rest stays. */
static struct str take_while(struct str *rest, bool (*fits)(char c))
{
    size_t len = 0;
    while (len < rest->len && fits(rest->ptr[len]))
        len++;
    const struct str taken = str_slice(*rest, 0, len);
    *rest = str_skip(*rest, len);
    return taken;
}

static bool take_sign(struct str *rest)
{
    const bool negative = str_starts_with(*rest, STR("-"));
    if (negative || str_starts_with(*rest, STR("+")))
        *rest = str_skip(*rest, 1);
    return negative;
}

/* Laxer than the expression in the message: "m", "." and "-" are all read as zero. */
static struct error *split_text(struct str text, struct parts *ret_parts)
{
    struct str rest = text;
    if (text.len == 0)
        return wrong_format();
    ret_parts->negative = take_sign(&rest);
    while (str_starts_with(rest, STR("0")))
        rest = str_skip(rest, 1);
    ret_parts->whole = take_while(&rest, ascii_is_digit);
    ret_parts->fraction = STR("");
    if (str_starts_with(rest, STR("."))) {
        rest = str_skip(rest, 1);
        ret_parts->fraction = take_while(&rest, ascii_is_digit);
    }
    ret_parts->suffix = rest;
    (void)take_while(&rest, is_suffix_letter);
    (void)take_sign(&rest);
    (void)take_while(&rest, ascii_is_digit);
    return rest.len ? wrong_format() : NULL;
}

static void put_digits(struct quantity *quantity, struct str digits)
{
    for (size_t i = 0; i < digits.len; i++)
        quantity->digits[quantity->count++] = (uint8_t)(digits.ptr[i] - '0');
}

/* Times 1024; there is room for six of these. */
static void multiply_by_1024(struct quantity *quantity)
{
    unsigned carry = 0;
    for (size_t i = quantity->count; i-- > 0;) {
        carry += quantity->digits[i] * 1024U;
        quantity->digits[i] = (uint8_t)(carry % 10);
        carry /= 10;
    }
    while (carry) {
        memmove(quantity->digits + 1, quantity->digits, quantity->count++);
        quantity->digits[0] = (uint8_t)(carry % 10);
        carry /= 10;
    }
}

/* Adds one to the last digit. */
static void increment(struct quantity *quantity)
{
    size_t i = quantity->count;
    while (i > 0 && quantity->digits[i - 1] == 9)
        quantity->digits[--i] = 0;
    if (i > 0) {
        quantity->digits[i - 1]++;
        return;
    }
    memmove(quantity->digits + 1, quantity->digits, quantity->count++);
    quantity->digits[0] = 1;
}

/* Away from zero to billionths. */
static void round_up(struct quantity *quantity)
{
    quantity_trim(quantity);
    if (quantity->count == 0 || quantity->exponent >= NANO)
        return;
    const int64_t excess = NANO - quantity->exponent;
    quantity->count = excess < (int64_t)quantity->count ? quantity->count - (size_t)excess : 0;
    quantity->exponent = NANO;
    increment(quantity);
    quantity_trim(quantity);
}

static void cap_binary(struct quantity *quantity)
{
    struct quantity most = {.count = 0};
    put_digits(&most, STR("9223372036854775807"));
    most.negative = quantity->negative;
    const int cmp = quantity_cmp(quantity, &most);
    if (quantity->negative ? cmp >= 0 : cmp <= 0)
        return;
    quantity->count = most.count;
    quantity->exponent = 0;
    memcpy(quantity->digits, most.digits, most.count);
}

/* Whether upstream keeps this one in 64 bits. Only such quantities keep their text. */
static bool is_small(const struct parts *parts, enum quantity_format format, int64_t power)
{
    const int64_t whole = parts->whole.len ? (int64_t)parts->whole.len : 1;
    const int64_t fraction = (int64_t)parts->fraction.len;
    if (format == QUANTITY_BINARY_SI)
        return fraction == 0 && 15 - whole - power * 3 - 1 >= 0;
    return 18 - whole - fraction >= 0 && power - fraction >= NANO;
}

/* The text is kept when the canonical one has the same digits and the same power. */
static bool is_spelling_of(const struct quantity *quantity, const struct parts *parts,
                           int64_t power)
{
    const struct quantity_form form = quantity_canonical(quantity);
    if (quantity->count == 0 || parts->fraction.len || form.power != power ||
        (form.format == QUANTITY_BINARY_SI) != (quantity->format == QUANTITY_BINARY_SI))
        return false;
    if (parts->whole.len != form.number.count + form.zeros)
        return false;
    for (size_t i = 0; i < form.number.count; i++)
        if (parts->whole.ptr[i] - '0' != form.number.digits[i])
            return false;
    return true;
}

static void set_value(struct quantity *quantity, const struct parts *parts, int64_t power,
                      bool small)
{
    const bool binary = quantity->format == QUANTITY_BINARY_SI;
    put_digits(quantity, parts->whole);
    put_digits(quantity, parts->fraction);
    quantity->exponent = (binary ? 0 : power) - (int64_t)parts->fraction.len;
    for (int64_t i = 0; binary && i < power; i++)
        multiply_by_1024(quantity);
    round_up(quantity);
    if (binary && !small) {
        cap_binary(quantity);
        /* Less than one: shown in thousandths and the like. */
        if (quantity->count && (int64_t)quantity->count + quantity->exponent <= 0)
            quantity->format = QUANTITY_DECIMAL_SI;
    }
    if (quantity->count == 0)
        quantity->negative = false;
    quantity->keeps_text = small && is_spelling_of(quantity, parts, power);
}

struct error *quantity_read(struct str text, struct quantity *ret_quantity)
{
    struct parts parts = {.negative = false};
    int64_t power;
    struct quantity quantity = {.text_len = text.len};
    if (text.len > QUANTITY_TEXT_MAX)
        return error_new(ERROR_PARSE, "quantities must be no more than %d characters",
                         QUANTITY_TEXT_MAX);
    TRY(split_text(text, &parts));
    if (!quantity_read_suffix(parts.suffix, &quantity.format, &power))
        return error_new(ERROR_PARSE, "unable to parse quantity's suffix");
    memcpy(quantity.text, text.ptr, text.len);
    quantity.negative = parts.negative;
    set_value(&quantity, &parts, power, is_small(&parts, quantity.format, power));
    *ret_quantity = quantity;
    return NULL;
}
