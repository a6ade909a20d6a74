/*
 * Programs of patterns. Private to regexp*.c.
 *
 * The code of a part of an expression is contiguous, is entered at its first step and left behind
 * its last one, and its jumps are relative: a repetition copies it as it is.
 */
#pragma once

#include <stdint.h>

#include "base/regexp/regexp.h"

enum regexp_op {
    STEP_RANGES, /* a character of ranges [x, x + y) */
    STEP_SPLIT,  /* both x and y steps on */
    STEP_JUMP,   /* x steps on */
    STEP_ASSERT, /* an enum regexp_place holds here */
};

enum regexp_place {
    AT_TEXT_START,
    AT_TEXT_END,
    AT_LINE_START,
    AT_LINE_END,
    AT_WORD_EDGE,
    NOT_AT_WORD_EDGE,
};

struct regexp_step {
    enum regexp_op op;
    int32_t x, y;
};

struct regexp_range {
    uint32_t low, high;
};

struct regexp {
    const struct regexp_step *steps; /* the match is behind the last one */
    size_t count;
    const struct regexp_range *ranges;
};

#define RUNE_MAX 0x10ffff

/* ERROR_INVALID with the message of Go's regexp/syntax package; where is the part at fault. */
MUST_USE struct error *regexp_syntax_error(const char *what, struct str where);

/* Takes one character off the front of a text that is not empty. */
uint32_t regexp_take_rune(struct str *text);
