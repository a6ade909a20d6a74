/*
 * Resource versions in order. Within one resource they are decimal numbers of any length; what is
 * none cannot be compared, and then nothing is said.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* False when one of them is no number, leading zeros included. *ret_order as of memcmp(). */
bool cache_version_cmp(struct str a, struct str b, int *ret_order);

/* Both are numbers and a came before b. */
bool cache_version_is_older(struct str a, struct str b);
