/*
 * The texts of Warning headers (RFC 7234, section 5.5). A header holds several warnings. Each has a
 * code, an agent, a quoted text with backslash escapes and optionally a quoted date.
 *
 *     299 - "unknown field \"spec.x\"", 299 - "deprecated" "Sat, 25 Aug 2012 23:34:45 GMT"
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Appends the next text without its escapes and cuts it off the value. Returns false when no text
 * is left. A value that does not have this form is one text as it stands.
 */
bool warning_text_next(struct str *value, struct buf *out);
