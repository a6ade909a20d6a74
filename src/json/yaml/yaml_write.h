/*
 * Writes a document as YAML in block style, as kubectl prints it.
 *
 * The text is read back as the same document by manifest_read() and by any reader of YAML 1.1 or
 * 1.2: strings that a reader could take for another type, and strings with characters that a
 * terminal should not receive, are quoted. Strings of several lines are literal blocks. Members
 * keep their order.
 *
 * Deep nesting costs indentation: limit the buffer and check it with buf_check().
 */
#pragma once

#include "json/json.h"

/* Ends in a line feed. No "---" in front. */
void yaml_write(struct buf *buf, const struct json_value *value);
