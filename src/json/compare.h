/*
 * Equality of values, and a canonical text that equal values share.
 *
 * The order of members never counts, the order of elements always does; null and absent differ.
 */
#pragma once

#include "json/json.h"

/*
 * By value: 1 equals 1.0 and 1e0, because Kubernetes stores all three as 1. Integers of 64 bits are
 * compared without rounding, and with a double by the text that Go writes for it. Two absent values
 * are equal.
 */
bool json_equal(const struct json_value *a, const struct json_value *b);

/*
 * By token: numbers are equal when their texts are, as the merge-patch and JSON-patch libraries of
 * Kubernetes compare them; 1 differs from 1.0.
 */
bool json_equal_exact(const struct json_value *a, const struct json_value *b);

/*
 * Compact text with members sorted by the bytes of their names: what json_equal() calls equal gets
 * the same text, apart from -0.0 and 0. For hashes; it is also what Go writes for a map.
 */
void json_write_canonical(struct buf *buf, const struct json_value *value);

/* The same with numbers as they were read: equal texts for json_equal_exact(). */
void json_write_canonical_exact(struct buf *buf, const struct json_value *value);
