/*
 * The text of a bearer token.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* True if the token is not empty and has only characters that are safe in a header. */
bool token_text_is_sendable(struct str token);
