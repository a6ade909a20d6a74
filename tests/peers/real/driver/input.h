/* Lines of standard input, for a fiber. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"

struct input;

MUST_USE struct error *input_new(struct input **ret_input);
void input_free(struct input *input);
DEFINE_OWNED(input)

/* Suspends. Replaces what is in line, without the newline. A last line without one does not count.
 */
MUST_USE struct error *input_next(struct input *input, struct buf *line, bool *ret_is_end);
