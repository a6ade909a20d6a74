/*
 * The order of resourceVersions. Within one resource they are decimal numbers of any length
 * (KEP-5504). Anything else cannot be compared.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/*
 * Returns false if one of them is not a number or has leading zeros. *ret_order is below, equal to
 * or above 0.
 */
bool cache_version_cmp(struct str a, struct str b, int *ret_order);

/* True if both are numbers and a is less than b. */
bool cache_version_is_older(struct str a, struct str b);
