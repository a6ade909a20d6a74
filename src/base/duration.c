#include "base/duration.h"

#include "base/ascii.h"

/* One more than INT64_MAX: the magnitude of the most negative duration, and so the ceiling. */
#define MAGNITUDE_MAX ((uint64_t)1 << 63)

/* The text is written from its end: digits come out lowest first. */
struct tail {
    char *start;
};

static void put_char(struct tail *tail, char c)
{
    *--tail->start = c;
}

static void put_number(struct tail *tail, uint64_t value)
{
    do {
        put_char(tail, (char)('0' + value % 10));
        value /= 10;
    } while (value);
}

/* Writes value's last digits as a fraction without trailing zeros and returns what is above it. */
static uint64_t put_fraction(struct tail *tail, uint64_t value, int digits)
{
    bool written = false;
    for (int i = 0; i < digits; i++) {
        const char digit = (char)('0' + value % 10);
        value /= 10;
        written = written || digit != '0';
        if (written)
            put_char(tail, digit);
    }
    if (written)
        put_char(tail, '.');
    return value;
}

static void put_below_second(struct tail *tail, uint64_t value)
{
    put_char(tail, 's');
    int digits = 0;
    if (value < (uint64_t)MICROSECOND) {
        put_char(tail, 'n');
    } else if (value < (uint64_t)MILLISECOND) {
        put_char(tail, '\xb5'); /* U+00B5, the micro sign, backwards */
        put_char(tail, '\xc2');
        digits = 3;
    } else {
        put_char(tail, 'm');
        digits = 6;
    }
    put_number(tail, put_fraction(tail, value, digits));
}

static void put_clock(struct tail *tail, uint64_t value)
{
    put_char(tail, 's');
    const uint64_t seconds = put_fraction(tail, value, 9);
    put_number(tail, seconds % 60);
    const uint64_t minutes = seconds / 60;
    if (minutes == 0)
        return;
    put_char(tail, 'm');
    put_number(tail, minutes % 60);
    if (minutes < 60)
        return;
    put_char(tail, 'h');
    put_number(tail, minutes / 60);
}

struct str duration_write(duration value, char text[static DURATION_TEXT_MAX])
{
    char *const end = text + DURATION_TEXT_MAX - 1;
    *end = '\0';
    struct tail tail = {end};
    const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (magnitude == 0) {
        put_char(&tail, 's');
        put_char(&tail, '0');
    } else if (magnitude < (uint64_t)SECOND) {
        put_below_second(&tail, magnitude);
    } else {
        put_clock(&tail, magnitude);
    }
    if (value < 0)
        put_char(&tail, '-');
    return str_from(tail.start, (size_t)(end - tail.start));
}

/* Cuts the digits in front of the text into a number; false when they exceed the ceiling. */
static bool cut_whole(struct str *text, uint64_t *ret_value)
{
    uint64_t value = 0;
    while (text->len && ascii_is_digit(text->ptr[0])) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text->ptr[0] - '0'), &value) ||
            value > MAGNITUDE_MAX)
            return false;
        *text = str_skip(*text, 1);
    }
    *ret_value = value;
    return true;
}

/* Digits behind a point. Those past what 63 bits hold are read and dropped, as Go does. */
struct fraction {
    uint64_t digits;
    double scale;
};

static struct fraction cut_fraction(struct str *text)
{
    struct fraction fraction = {0, 1};
    bool full = false;
    while (text->len && ascii_is_digit(text->ptr[0])) {
        const uint64_t digit = (uint64_t)(text->ptr[0] - '0');
        full = full || fraction.digits > (MAGNITUDE_MAX - 1) / 10 ||
               fraction.digits * 10 + digit > MAGNITUDE_MAX;
        if (!full) {
            fraction.digits = fraction.digits * 10 + digit;
            fraction.scale *= 10;
        }
        *text = str_skip(*text, 1);
    }
    return fraction;
}

static bool cut_unit(struct str *text, uint64_t *ret_unit)
{
    static const struct {
        struct str name;
        duration value;
    } units[] = {
        {STR_INIT("ns"),        NANOSECOND },
        {STR_INIT("us"),        MICROSECOND},
        {STR_INIT("\xc2\xb5s"), MICROSECOND}, /* micro sign */
        {STR_INIT("\xce\xbcs"), MICROSECOND}, /* Greek letter mu */
        {STR_INIT("ms"),        MILLISECOND},
        {STR_INIT("s"),         SECOND     },
        {STR_INIT("m"),         MINUTE     },
        {STR_INIT("h"),         HOUR       },
    };
    size_t len = 0;
    while (len < text->len && text->ptr[len] != '.' && !ascii_is_digit(text->ptr[len]))
        len++;
    const struct str name = str_slice(*text, 0, len);
    *text = str_skip(*text, len);
    for (size_t i = 0; i < COUNT(units); i++)
        if (str_eq(units[i].name, name)) {
            *ret_unit = (uint64_t)units[i].value;
            return true;
        }
    return false;
}

/* One "1.5h" of "1.5h30m". */
static bool cut_term(struct str *text, uint64_t *ret_value)
{
    uint64_t value, unit;
    const size_t before = text->len;
    if (!cut_whole(text, &value))
        return false;
    bool has_digits = text->len != before;
    struct fraction fraction = {0, 1};
    if (text->len && text->ptr[0] == '.') {
        *text = str_skip(*text, 1);
        const size_t behind_point = text->len;
        fraction = cut_fraction(text);
        has_digits = has_digits || text->len != behind_point;
    }
    if (!has_digits || !cut_unit(text, &unit) || value > MAGNITUDE_MAX / unit)
        return false;
    value *= unit;
    if (fraction.digits)
        value += (uint64_t)((double)fraction.digits * ((double)unit / fraction.scale));
    *ret_value = value;
    return value <= MAGNITUDE_MAX;
}

bool duration_read(struct str text, duration *ret_value)
{
    const bool negative = text.len && text.ptr[0] == '-';
    if (text.len && (text.ptr[0] == '-' || text.ptr[0] == '+'))
        text = str_skip(text, 1);
    if (text.len == 0)
        return false;
    uint64_t sum = 0, term;
    if (!str_eq(text, STR("0"))) /* the only number that needs no unit */
        while (text.len) {
            if (!cut_term(&text, &term))
                return false;
            sum += term; /* both are at most 2^63, and the sum of two such wraps to 0 at worst */
            if (sum > MAGNITUDE_MAX || sum < term)
                return false;
        }
    if (!negative && sum == MAGNITUDE_MAX)
        return false;
    *ret_value = negative ? (duration)(0 - sum) : (duration)sum;
    return true;
}
