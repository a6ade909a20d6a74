/*
 * Warning headers, as RFC 7234 has them and API servers send them: several texts to a header, each
 * behind a code and a name, in quotes, with what would end them early escaped.
 *
 *     299 - "unknown field \"spec.x\"", 299 - "deprecated" "Sat, 25 Aug 2012 23:34:45 GMT"
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Appends the next text as it was before it was escaped, and cuts it off the header's value; false
 * when there is none left. What is not made like this is one text as it stands.
 */
bool warning_text_next(struct str *value, struct buf *out);
