/*
 * Points in wall-clock time, as nanoseconds since 1970-01-01T00:00:00Z, and their RFC 3339 text.
 *
 * Times are UTC; neither the process's time zone nor its locale plays a part. Reading accepts what
 * Go's time.Parse(time.RFC3339, …) accepts, because that is what API servers hold objects to:
 * years 0000 to 9999, any number of fractional digits, offsets, no leap seconds.
 *
 * A timestamp reaches from 1677 to 2262. Text outside of that is still valid, and reads as
 * TIMESTAMP_MIN or TIMESTAMP_MAX: comparing it with the present gives the right answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef int64_t timestamp;

#define TIMESTAMP_MIN      INT64_MIN
#define TIMESTAMP_MAX      INT64_MAX
#define TIMESTAMP_TEXT_MAX 40

/* The system's clock. Code that runs on a loop asks the loop instead, so that tests can set it. */
timestamp timestamp_now(void);

/* The form of metav1.Time, "2023-11-14T22:13:20Z"; a fraction is cut off. Returns a view of text.
 */
struct str timestamp_write(timestamp time, char text[static TIMESTAMP_TEXT_MAX]);

/* The form of metav1.MicroTime, always with six digits: "2023-11-14T22:13:20.000000Z". */
struct str timestamp_write_micro(timestamp time, char text[static TIMESTAMP_TEXT_MAX]);

/* Reads either form, and any other number of fractional digits; false when it is not RFC 3339.
 * Digits past nanoseconds are cut off. */
bool timestamp_read(struct str text, timestamp *ret_time);

/* As above, but exactly six fractional digits, which is what a metav1.MicroTime must have. */
bool timestamp_read_micro(struct str text, timestamp *ret_time);

/* Seconds since 1970 and the nanoseconds above them: exact for every valid text. */
struct timestamp_exact {
    int64_t seconds;
    int32_t nanoseconds; /* 0 to 999,999,999 */
};

bool timestamp_read_exact(struct str text, struct timestamp_exact *ret_time);

/* A calendar date and time of day in UTC, for writers of other forms. */
struct timestamp_civil {
    int32_t year;
    int32_t month, day; /* from 1 */
    int32_t hour, minute, second, nanosecond;
};

struct timestamp_civil timestamp_to_civil(timestamp time);
