/*
 * Points in wall-clock time, as nanoseconds since 1970-01-01T00:00:00Z, and their RFC 3339 text.
 *
 * Times are UTC. Neither the time zone nor the locale of the process matters. Reading accepts what
 * Go's time.Parse(time.RFC3339, …) accepts, because API servers judge objects by it: years 0000 to
 * 9999, any number of fractional digits, offsets, no leap seconds.
 *
 * A timestamp reaches from 1677 to 2262. Text outside of that range is still valid and reads as
 * TIMESTAMP_MIN or TIMESTAMP_MAX: a comparison with the present gives the right answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef int64_t timestamp;

#define TIMESTAMP_MIN      INT64_MIN
#define TIMESTAMP_MAX      INT64_MAX
#define TIMESTAMP_TEXT_MAX 40

/*
 * The clock of the system. Code that runs on a loop uses loop_wall() instead, so that tests can set
 * it.
 */
timestamp timestamp_now(void);

/*
 * The form of metav1.Time, "2023-11-14T22:13:20Z". A fraction is cut off. Returns a view of text.
 */
struct str timestamp_write(timestamp time, char text[static TIMESTAMP_TEXT_MAX]);

/* The form of metav1.MicroTime, always with six digits: "2023-11-14T22:13:20.000000Z". */
struct str timestamp_write_micro(timestamp time, char text[static TIMESTAMP_TEXT_MAX]);

/*
 * Reads RFC 3339 with any number of fractional digits; those past nanoseconds are cut off. False
 * when the text has another form.
 */
bool timestamp_read(struct str text, timestamp *ret_time);

/* The same with exactly six fractional digits, which a metav1.MicroTime must have. */
bool timestamp_read_micro(struct str text, timestamp *ret_time);

/* Seconds since 1970 and the nanoseconds above them: exact for every valid text. */
struct timestamp_exact {
    int64_t seconds;
    int32_t nanoseconds; /* 0 to 999,999,999 */
};

bool timestamp_read_exact(struct str text, struct timestamp_exact *ret_time);

/* A calendar date and time of day in UTC, for writers of other formats. */
struct timestamp_civil {
    int32_t year;
    int32_t month, day; /* from 1 */
    int32_t hour, minute, second, nanosecond;
};

struct timestamp_civil timestamp_to_civil(timestamp time);
