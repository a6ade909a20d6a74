/*
 * How long ago, as tables show it: "5s", "3m2s", "4d", "2y33d".
 *
 * Two units at most, and the smaller one only while it matters. A time that is absent is
 * "<unknown>", one in the future "<invalid>".
 */
#pragma once

#include "base/duration.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"

#define KIND_AGE_MAX 32

/* Writes a span and returns a view of text. */
struct str kind_age_write(duration age, char text[static KIND_AGE_MAX]);

/* From one time to another; spans that are too long are as long as can be. */
duration kind_age_between(timestamp from, timestamp to);

/* The span from a time in RFC 3339 form to now; returns a view of text. */
struct str kind_age_since(const struct json_value *time, timestamp now,
                          char text[static KIND_AGE_MAX]);
