/*
 * What the two readers of label selectors share. Private to selector*.c and requirement.c.
 */
#pragma once

#include "apimachinery/selector.h"

/* Checks a requirement and makes it. Key and values are copied to the arena; values are sorted. */
MUST_USE struct error *requirement_make(struct arena *arena, enum error_code code,
                                        const struct requirement *wanted,
                                        struct requirement *ret_requirement);

/* Checks the key alone, which the text form does before it reads on. */
MUST_USE struct error *requirement_check_key(struct str key);

/* Sorts requirements by key. Those with equal keys keep their order. */
void selector_sort(struct arena *arena, struct selector *selector);

/* Bytewise order of struct str, for qsort() and bsearch(). */
int selector_cmp_str(const void *a, const void *b);

/* Reads as Go's strconv.ParseInt(s, 10, 64). */
bool selector_to_int64(struct str s, int64_t *ret_number);
