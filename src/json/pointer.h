/*
 * JSON pointers (RFC 6901), "/spec/a~1b/0", for paths that come from data. Names that the program
 * knows go through json/path.h.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "json/json.h"

/* Takes the next name off a pointer: "/a~1b/c" gives "a/b" and leaves "/c". False at its end. */
bool json_pointer_next(struct str *pointer, struct buf *ret_name);

/*
 * The value that a pointer leads to; NULL if there is none, and for a text that is no pointer. The
 * empty pointer is the value itself.
 */
const struct json_value *json_pointer_find(const struct json_value *value, struct str pointer);
