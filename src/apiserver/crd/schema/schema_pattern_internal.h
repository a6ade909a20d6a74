/*
 * Programs of patterns. Private to schema_pattern*.c.
 *
 * The code of a part of an expression is contiguous, is entered at its first step and left behind
 * its last one, and its jumps are relative: a repetition copies it as it is.
 */
#pragma once

#include <stdint.h>

#include "apiserver/crd/schema/schema_pattern.h"

enum step_op {
    STEP_RANGES, /* a character of ranges [x, x + y) */
    STEP_SPLIT,  /* both x and y steps on */
    STEP_JUMP,   /* x steps on */
    STEP_ASSERT, /* an enum place holds here */
};

enum place {
    AT_TEXT_START,
    AT_TEXT_END,
    AT_LINE_START,
    AT_LINE_END,
    AT_WORD_EDGE,
    NOT_AT_WORD_EDGE,
};

struct step {
    enum step_op op;
    int32_t x, y;
};

struct range {
    uint32_t low, high;
};

struct schema_pattern {
    const struct step *steps; /* the match is behind the last one */
    size_t count;
    const struct range *ranges;
};

#define RUNE_MAX 0x10ffff

/* Takes one character off the front of a text that is not empty. */
uint32_t rune_take(struct str *text);
