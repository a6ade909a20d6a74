/*
 * Regular expressions in the syntax of Go's regexp package (RE2), matched in linear time.
 *
 * CustomResourceDefinitions use them as `pattern`. All alternatives are followed at once, a set of
 * places in the program per character, so there is no backtracking: matching takes at most the
 * length of the text times the size of the program. Nothing is captured; the result is whether the
 * expression occurs in a text.
 *
 * Unlike Go, classes by Unicode property are those of one letter (\pL, \PC); others, such as
 * scripts, are refused. Case folding (?i) is that of ASCII.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct regexp;

/*
 * The largest program, in steps; compiling a larger one fails. Counted repetition multiplies what
 * it repeats.
 */
#define REGEXP_SIZE_MAX 20000

/* The longest text of an expression; a longer one is refused. */
#define REGEXP_TEXT_MAX ((size_t)32 * 1024)

/*
 * The expression lives in the arena. ERROR_INVALID has Go's message: error parsing regexp: missing
 * closing ): `(`
 */
MUST_USE struct error *regexp_compile(struct arena *arena, struct str text,
                                      const struct regexp **ret_regexp);

/* How many steps the program has: what it takes of memory, and of time for each character. */
size_t regexp_size(const struct regexp *regexp);

enum regexp_result {
    REGEXP_NO_MATCH,
    REGEXP_MATCH,
    REGEXP_TOO_COSTLY, /* the steps did not suffice; nothing is known */
};

/*
 * Whether the expression occurs anywhere in the text; ^ and $ tie it to the ends. A byte that is
 * not UTF-8 counts as U+FFFD. What it took is subtracted from *steps, which is for many matches
 * together: a hundred million take about half a second.
 */
enum regexp_result regexp_match(const struct regexp *regexp, struct str text, size_t *steps);
