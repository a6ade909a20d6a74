/*
 * Equality of yyjson values, for the sources of this folder.
 */
#pragma once

#include "json/json_internal.h"

bool val_equal(const yyjson_val *a, const yyjson_val *b, bool exact);
