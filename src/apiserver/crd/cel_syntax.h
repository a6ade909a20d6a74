/*
 * A syntax check for CEL, the language of validation rules (x-kubernetes-validations).
 *
 * This server does not evaluate rules, but it refuses definitions whose rules cannot be CEL. The
 * check needs no types: it looks at tokens, at brackets, and at the alternation of operands and
 * operators. Every expression that CEL parses passes; some that CEL refuses pass too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Expressions with deeper brackets are refused; CEL has a limit of the same size. */
#define CEL_SYNTAX_DEPTH_MAX 250

struct cel_syntax_error {
    size_t line, column; /* from 1 */
    const char *message;
};

bool cel_syntax_check(struct str text, struct cel_syntax_error *ret_error);
