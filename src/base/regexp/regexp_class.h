/*
 * Sets of characters in regular expressions: "[a-z]", "\d", "[[:alpha:]]". Private to regexp*.c.
 */
#pragma once

#include "base/regexp/regexp_internal.h"

/* Flags of a group, in the order of the letters "imsU": the bit of a letter is its position. */
enum regexp_flags {
    REGEXP_FOLD = 1,
    REGEXP_MULTI_LINE = 2,
    REGEXP_DOT_ALL = 4,
};

/* The most ranges of a class, and of all classes of an expression: a category alone has hundreds.
 */
#define REGEXP_RANGES_MAX 100000

struct regexp_class {
    struct regexp_range *items;
    size_t count, capacity;
};

void regexp_class_add(struct regexp_class *class, uint32_t low, uint32_t high);
void regexp_class_fold(struct regexp_class *class); /* adds the other case of ASCII letters */
void regexp_class_done(struct regexp_class *class);

/* Sorts the ranges and joins those that touch. */
void regexp_class_normalize(struct regexp_class *class);

/*
 * Takes "\d", "\W" and the like off the front and adds them to the class. False for anything else.
 */
bool regexp_class_take_perl(struct str *rest, struct regexp_class *class);

/*
 * Takes "\pL", "\PC", "\p{^N}" and the like off the front and adds them: categories of one letter.
 * *ret_taken is false for anything else.
 */
MUST_USE struct error *regexp_class_take_unicode(struct str *rest, struct regexp_class *class,
                                                 bool *ret_taken);

/* Adds the characters of a category, such as "L"; false for a category that is not known. */
bool regexp_unicode_add(struct regexp_class *class, struct str category);

/* Takes one escaped character off the front: "\n", "\x41", "\.". */
MUST_USE struct error *regexp_class_take_escape(struct str *rest, uint32_t *ret_rune);

/*
 * Takes a class off the front, from "[" to its "]", and adds it. last_end is the last ":]" of the
 * whole expression or NULL: where there is none ahead, none is looked for.
 */
MUST_USE struct error *regexp_class_take(struct str *rest, const char *last_end, unsigned flags,
                                         struct regexp_class *class);
