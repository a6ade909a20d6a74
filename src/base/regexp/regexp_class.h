/*
 * Sets of characters in patterns: "[a-z]", "\d", "[[:alpha:]]". Private to regexp*.c.
 */
#pragma once

#include "base/regexp/regexp_internal.h"

/* In the order of the letters "imsU". */
enum regexp_flags {
    REGEXP_FOLD = 1,
    REGEXP_MULTI_LINE = 2,
    REGEXP_DOT_ALL = 4,
};

struct regexp_class {
    struct regexp_range *items;
    size_t count, capacity;
};

void regexp_class_add(struct regexp_class *class, uint32_t low, uint32_t high);
void regexp_class_fold(struct regexp_class *class); /* adds the other case of ASCII letters */
void regexp_class_done(struct regexp_class *class);

/* "\d", "\W" and so on; false for anything else. */
bool regexp_class_take_perl(struct str *rest, struct regexp_class *class);

/* "\n", "\x41", "\." and so on. */
MUST_USE struct error *regexp_class_take_escape(struct str *rest, uint32_t *ret_rune);

/* From "[" to its "]". */
MUST_USE struct error *regexp_class_take(struct str *rest, unsigned flags,
                                         struct regexp_class *class);
