/*
 * Timestamps and RFC 3339, both ways, without the time zone or the locale of the process.
 *
 * A timestamp counts nanoseconds and reaches from 1677 to 2262, while RFC 3339 has the years 0000
 * to 9999. Reading therefore goes through struct timestamp_exact, which holds every valid text, and
 * clamps afterwards (read_clamped()). The grammar is that of Go's time.Parse(time.RFC3339, …),
 * including what Go accepts beyond the RFC; each such point has a comment below.
 */
#include "base/timestamp.h"

#include <time.h>

#include "base/ascii.h"

#define PER_SECOND      1000000000
#define SECONDS_PER_DAY 86400
#define DAYS_PER_ERA    146097 /* 400 years, after which the calendar repeats */
#define DAYS_TO_1970    719468 /* from 0000-03-01 */

enum fraction {
    FRACTION_ANY,
    FRACTION_MICRO, /* exactly six digits */
};

timestamp timestamp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (timestamp)now.tv_sec * PER_SECOND + now.tv_nsec;
}

/* Division that rounds towards minus infinity, for dates before 1970. */
static int64_t floor_div(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

/*
 * The two conversions are Howard Hinnant's days_from_civil and civil_from_days. Years are counted
 * from March: the leap day is then the last day of its year, and the days before a month follow
 * from a straight line, (153 * month + 2) / 5.
 */
static int64_t days_from_date(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t era = floor_div(year, 400);
    const int64_t year_of_era = year - era * 400;
    const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

static void date_from_days(int64_t days, struct timestamp_civil *civil)
{
    days += DAYS_TO_1970;
    const int64_t era = floor_div(days, DAYS_PER_ERA);
    const int64_t day_of_era = days - era * DAYS_PER_ERA;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month = (5 * day_of_year + 2) / 153;
    civil->day = (int32_t)(day_of_year - (153 * month + 2) / 5 + 1);
    civil->month = (int32_t)(month < 10 ? month + 3 : month - 9);
    civil->year = (int32_t)(year_of_era + era * 400 + (civil->month <= 2));
}

struct timestamp_civil timestamp_to_civil(timestamp time)
{
    const int64_t seconds = floor_div(time, PER_SECOND);
    const int64_t days = floor_div(seconds, SECONDS_PER_DAY);
    const int32_t of_day = (int32_t)(seconds - days * SECONDS_PER_DAY);
    const int32_t below = (int32_t)(time % PER_SECOND);
    struct timestamp_civil civil = {
        .hour = of_day / 3600,
        .minute = of_day / 60 % 60,
        .second = of_day % 60,
        .nanosecond = below < 0 ? below + PER_SECOND : below,
    };
    date_from_days(days, &civil);
    return civil;
}

/* Writes a number in this many digits and the character behind it. */
static char *write_digits(char *text, int32_t number, int digits, char behind)
{
    for (int i = digits - 1; i >= 0; i--) {
        text[i] = (char)('0' + number % 10);
        number /= 10;
    }
    text[digits] = behind;
    return text + digits + 1;
}

/* The last character is that behind the seconds. A timestamp has a year of four digits. */
static char *write_seconds(const struct timestamp_civil *civil, char *text, char behind)
{
    text = write_digits(text, civil->year, 4, '-');
    text = write_digits(text, civil->month, 2, '-');
    text = write_digits(text, civil->day, 2, 'T');
    text = write_digits(text, civil->hour, 2, ':');
    text = write_digits(text, civil->minute, 2, ':');
    return write_digits(text, civil->second, 2, behind);
}

struct str timestamp_write(timestamp time, char text[static TIMESTAMP_TEXT_MAX])
{
    const struct timestamp_civil civil = timestamp_to_civil(time);
    char *end = write_seconds(&civil, text, 'Z');
    *end = '\0';
    return str_from(text, (size_t)(end - text));
}

struct str timestamp_write_micro(timestamp time, char text[static TIMESTAMP_TEXT_MAX])
{
    const struct timestamp_civil civil = timestamp_to_civil(time);
    char *end = write_digits(write_seconds(&civil, text, '.'), civil.nanosecond / 1000, 6, 'Z');
    *end = '\0';
    return str_from(text, (size_t)(end - text));
}

static bool has_digit(struct str text, size_t at)
{
    return at < text.len && ascii_is_digit(text.ptr[at]);
}

static bool cut_char(struct str *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c)
        return false;
    *text = str_skip(*text, 1);
    return true;
}

/* Cuts a number of exactly this many digits, which must lie within [low, high]. */
static bool cut_number(struct str *text, size_t digits, int32_t low, int32_t high, int32_t *ret)
{
    int32_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!has_digit(*text, i))
            return false;
        value = value * 10 + (text->ptr[i] - '0');
    }
    *text = str_skip(*text, digits);
    *ret = value;
    return value >= low && value <= high;
}

static int32_t days_in_month(int32_t year, int32_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

static bool cut_date(struct str *text, struct timestamp_civil *civil)
{
    return cut_number(text, 4, 0, 9999, &civil->year) && cut_char(text, '-') &&
           cut_number(text, 2, 1, 12, &civil->month) && cut_char(text, '-') &&
           cut_number(text, 2, 1, days_in_month(civil->year, civil->month), &civil->day);
}

static bool cut_time(struct str *text, struct timestamp_civil *civil)
{
    /* Go lets the hour, and nothing else, have a single digit. */
    const size_t hour_digits = has_digit(*text, 1) ? 2 : 1;
    return cut_number(text, hour_digits, 0, 23, &civil->hour) && cut_char(text, ':') &&
           cut_number(text, 2, 0, 59, &civil->minute) && cut_char(text, ':') &&
           cut_number(text, 2, 0, 59, &civil->second);
}

/*
 * A comma may stand for the point, as in Go. A point without digits is not taken, so that reading
 * the zone fails on it.
 */
static bool cut_fraction(struct str *text, enum fraction wanted, int32_t *ret_nanosecond)
{
    int32_t value = 0;
    size_t digits = 0;
    if (text->len && (text->ptr[0] == '.' || text->ptr[0] == ','))
        for (; has_digit(*text, digits + 1); digits++)
            if (digits < 9)
                value = value * 10 + (text->ptr[digits + 1] - '0');
    for (size_t i = digits; i < 9; i++)
        value *= 10;
    if (digits)
        *text = str_skip(*text, digits + 1);
    *ret_nanosecond = value;
    return wanted == FRACTION_ANY || digits == 6;
}

/* Seconds east of UTC. Offsets of 24 hours or 60 minutes are accepted, as in Go. */
static bool cut_zone(struct str *text, int32_t *ret_offset)
{
    int32_t hours, minutes;
    *ret_offset = 0;
    if (cut_char(text, 'Z'))
        return true;
    const bool west = cut_char(text, '-');
    if (!west && !cut_char(text, '+'))
        return false;
    if (!cut_number(text, 2, 0, 24, &hours) || !cut_char(text, ':') ||
        !cut_number(text, 2, 0, 60, &minutes))
        return false;
    const int32_t offset = (hours * 60 + minutes) * 60;
    *ret_offset = west ? -offset : offset;
    return true;
}

static bool read_exact(struct str text, enum fraction wanted, struct timestamp_exact *ret_time)
{
    struct timestamp_civil civil;
    int32_t offset;
    if (!cut_date(&text, &civil) || !cut_char(&text, 'T') || !cut_time(&text, &civil) ||
        !cut_fraction(&text, wanted, &civil.nanosecond) || !cut_zone(&text, &offset) || text.len)
        return false;
    const int64_t days = days_from_date(civil.year, civil.month, civil.day);
    const int32_t of_day = (civil.hour * 60 + civil.minute) * 60 + civil.second;
    ret_time->seconds = days * SECONDS_PER_DAY + of_day - offset;
    ret_time->nanoseconds = civil.nanosecond;
    return true;
}

/* Seconds times 10^9 need more than 64 bits for most years, hence the 128-bit product. */
static bool read_clamped(struct str text, enum fraction wanted, timestamp *ret_time)
{
    struct timestamp_exact exact;
    if (!read_exact(text, wanted, &exact))
        return false;
    const __int128 time = (__int128)exact.seconds * PER_SECOND + exact.nanoseconds;
    if (time < TIMESTAMP_MIN)
        *ret_time = TIMESTAMP_MIN;
    else
        *ret_time = time > TIMESTAMP_MAX ? TIMESTAMP_MAX : (timestamp)time;
    return true;
}

bool timestamp_read_exact(struct str text, struct timestamp_exact *ret_time)
{
    return read_exact(text, FRACTION_ANY, ret_time);
}

bool timestamp_read(struct str text, timestamp *ret_time)
{
    return read_clamped(text, FRACTION_ANY, ret_time);
}

bool timestamp_read_micro(struct str text, timestamp *ret_time)
{
    return read_clamped(text, FRACTION_MICRO, ret_time);
}
