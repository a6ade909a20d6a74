/*
 * Spans of time as kubectl's tables show them: "5s", "3m2s", "4d", "2y33d".
 *
 * Two units at most, and the smaller one only while it matters. An absent time is "<unknown>", one
 * in the future "<invalid>". Upstream: HumanDuration() in
 * k8s.io/apimachinery/pkg/util/duration/duration.go.
 */
#pragma once

#include "base/duration.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"

#define KIND_AGE_MAX 32

/* Writes a span to `text` and returns a view of it. */
struct str kind_age_write(duration age, char text[static KIND_AGE_MAX]);

/* The span from one time to another; the longest possible one instead of an overflow. */
duration kind_age_between(timestamp from, timestamp to);

/* Writes the span from a time in RFC 3339 form to now, and returns a view of `text`. */
struct str kind_age_since(const struct json_value *time, timestamp now,
                          char text[static KIND_AGE_MAX]);
