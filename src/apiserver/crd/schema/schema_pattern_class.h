/*
 * Sets of characters in patterns: "[a-z]", "\d", "[[:alpha:]]". Private to schema_pattern*.c.
 */
#pragma once

#include "apiserver/crd/schema/schema_pattern_internal.h"

/* In the order of the letters "imsU". */
enum pattern_flags {
    PATTERN_FOLD = 1,
    PATTERN_MULTI_LINE = 2,
    PATTERN_DOT_ALL = 4,
};

struct ranges {
    struct range *items;
    size_t count, capacity;
};

void ranges_add(struct ranges *ranges, uint32_t low, uint32_t high);
void ranges_fold(struct ranges *ranges); /* adds the other case of ASCII letters */
void ranges_done(struct ranges *ranges);

/* "\d", "\W" and so on; false for anything else. */
bool class_take_perl(struct str *rest, struct ranges *class);

/* "\n", "\x41", "\." and so on. */
MUST_USE struct error *class_take_escape(struct str *rest, uint32_t *ret_rune);

/* From "[" to its "]". */
MUST_USE struct error *class_take(struct str *rest, unsigned flags, struct ranges *class);
