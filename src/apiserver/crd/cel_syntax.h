/*
 * Whether a text can be an expression of CEL, the language of validation rules.
 *
 * Rules are not run here, but a definition whose rules no server could run is refused. Looked at is
 * what does not need types: tokens, brackets, and that operands and operators take turns. All that
 * CEL parses passes; some that it would not does too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Deeper brackets are refused, as by CEL itself. */
#define CEL_SYNTAX_DEPTH_MAX 250

struct cel_syntax_error {
    size_t line, column; /* from 1 */
    const char *message;
};

bool cel_syntax_check(struct str text, struct cel_syntax_error *ret_error);
