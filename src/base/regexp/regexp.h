/*
 * Regular expressions of schemas: the syntax of Go's regexp package, matched in linear time.
 *
 * All alternatives are followed at once, a set of places in the program per character, so there is
 * no backtracking and no text that takes longer than its length times that of the program. Nothing
 * is captured: a pattern either occurs in a text or does not.
 *
 * Unlike Go, classes by Unicode property (\pL) are refused, and case folding (?i) is that of ASCII.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct regexp;

/* Larger programs are refused; counted repetition multiplies what it repeats. */
#define REGEXP_SIZE_MAX 20000

/* Lives in the arena. ERROR_INVALID in Go's words: error parsing regexp: missing closing ): `(` */
MUST_USE struct error *regexp_compile(struct arena *arena, struct str text,
                                      const struct regexp **ret_regexp);

/* Whether it occurs anywhere; ^ and $ tie it to the ends. Bytes that are no UTF-8 are U+FFFD. */
bool regexp_matches(const struct regexp *regexp, struct str text);
