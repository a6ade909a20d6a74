/*
 * What a JSON text would weigh when it is parsed, found by one scan that allocates nothing.
 *
 * A parsed value takes sixteen bytes and a value of the text may be a single byte, so that a text
 * of a few megabytes can take many times its size. Whoever reads texts of strangers asks first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/*
 * True when the text nests at most depth_max levels and holds at most values_max values, member
 * names included. Values are never counted too low, and at most twice too high. The scan ends at
 * the first byte beyond a bound; it does not look for errors of syntax.
 */
bool json_is_within(struct str text, size_t depth_max, size_t values_max);
