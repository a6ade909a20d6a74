/*
 * The timestamps of go-yaml: a date, or a date and a time joined by T and a zone, or by a space
 * without a zone. Only an explicit !!timestamp asks for them, since values stay text either way.
 */
#include "json/yaml/yaml_scalar.h"

struct cursor {
    struct str rest;
    bool failed;
};

static bool next_is(const struct cursor *cursor, size_t at, char low, char high)
{
    return at < cursor->rest.len && cursor->rest.ptr[at] >= low && cursor->rest.ptr[at] <= high;
}

/* Takes min to max digits; fewer fail. */
static int take_digits(struct cursor *cursor, size_t min, size_t max)
{
    int value = 0;
    size_t count = 0;
    while (count < max && next_is(cursor, count, '0', '9'))
        value = value * 10 + (cursor->rest.ptr[count++] - '0');
    if (count < min)
        cursor->failed = true;
    cursor->rest = str_skip(cursor->rest, count);
    return value;
}

static void take_char(struct cursor *cursor, char c)
{
    if (!next_is(cursor, 0, c, c))
        cursor->failed = true;
    cursor->rest = str_skip(cursor->rest, 1);
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

static void take_date(struct cursor *cursor)
{
    const int year = take_digits(cursor, 4, 4);
    take_char(cursor, '-');
    const int month = take_digits(cursor, 1, 2);
    take_char(cursor, '-');
    const int day = take_digits(cursor, 1, 2);
    if (month < 1 || month > 12 || day < 1 || day > days_in(year, month))
        cursor->failed = true;
}

/* Hours, minutes, seconds, and a fraction of any length that is not kept. */
static void take_time(struct cursor *cursor)
{
    const int hour = take_digits(cursor, 1, 2);
    take_char(cursor, ':');
    const int minute = take_digits(cursor, 1, 2);
    take_char(cursor, ':');
    const int second = take_digits(cursor, 1, 2);
    if (hour > 23 || minute > 59 || second > 59)
        cursor->failed = true;
    if ((next_is(cursor, 0, '.', '.') || next_is(cursor, 0, ',', ',')) &&
        next_is(cursor, 1, '0', '9')) {
        cursor->rest = str_skip(cursor->rest, 1);
        while (next_is(cursor, 0, '0', '9'))
            cursor->rest = str_skip(cursor->rest, 1);
    }
}

/* Z, or hours and minutes. Go accepts up to 24 hours and 60 minutes. */
static void take_zone(struct cursor *cursor)
{
    if (next_is(cursor, 0, 'Z', 'Z')) {
        cursor->rest = str_skip(cursor->rest, 1);
        return;
    }
    take_char(cursor, next_is(cursor, 0, '+', '+') ? '+' : '-');
    const int hours = take_digits(cursor, 2, 2);
    take_char(cursor, ':');
    const int minutes = take_digits(cursor, 2, 2);
    if (hours > 24 || minutes > 60)
        cursor->failed = true;
}

/* Tries the layouts of go-yaml's allowedTimestampFormats in one pass. */
bool scalar_is_timestamp(struct str text)
{
    struct cursor cursor = {text, false};
    take_date(&cursor);
    if (cursor.failed || cursor.rest.len == 0)
        return !cursor.failed;
    const char joint = cursor.rest.ptr[0];
    if (joint == ' ') {
        while (next_is(&cursor, 0, ' ', ' '))
            cursor.rest = str_skip(cursor.rest, 1);
        take_time(&cursor);
    } else if (joint == 'T' || joint == 't') {
        cursor.rest = str_skip(cursor.rest, 1);
        take_time(&cursor);
        take_zone(&cursor);
    } else {
        return false;
    }
    return !cursor.failed && cursor.rest.len == 0;
}
