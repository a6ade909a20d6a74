/*
 * Spans of time in nanoseconds, and their text in Go's form ("1h2m3.5s").
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef int64_t duration;

#define NANOSECOND  ((duration)1)
#define MICROSECOND (1000 * NANOSECOND)
#define MILLISECOND (1000 * MICROSECOND)
#define SECOND      (1000 * MILLISECOND)
#define MINUTE      (60 * SECOND)
#define HOUR        (60 * MINUTE)

/* A point in time or a span that never comes. */
#define FOREVER INT64_MAX

#define DURATION_TEXT_MAX 32

/* Writes Go's form ("0s", "1.5s", "2h0m0s", "300ms") and returns a view of text. */
struct str duration_write(duration value, char text[static DURATION_TEXT_MAX]);

/*
 * Reads Go's form, signs and fractions included. False when the text has another form or the value
 * does not fit.
 */
bool duration_read(struct str text, duration *ret_value);
