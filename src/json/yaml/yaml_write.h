/*
 * YAML for people: a document in block style, as kubectl prints it.
 *
 * What is written is read back as the same document by manifest_read() and by any reader of YAML
 * 1.1 or 1.2: text that some of them could take for anything else, or that a terminal should not
 * see as it is, stands in quotes. Text of several lines is a literal block. Members keep their
 * order.
 *
 * Deep nesting costs indentation, so bound the buffer and ask buf_check().
 */
#pragma once

#include "json/json.h"

/* Ends in a line feed. No "---" in front. */
void yaml_write(struct buf *buf, const struct json_value *value);
