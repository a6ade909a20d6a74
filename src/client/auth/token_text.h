/*
 * The text of a bearer token.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* Not empty, and nothing in it that could break or forge a header. */
bool token_is_sendable(struct str token);
