/*
 * What the two readers of selectors share. Private to this folder.
 */
#pragma once

#include "apimachinery/selector.h"

/* Checks a requirement and makes it; the values are copied into the arena and sorted. */
MUST_USE struct error *requirement_make(struct arena *arena, enum error_code code,
                                        const struct requirement *wanted,
                                        struct requirement *ret_requirement);

/* The key alone, as the text form checks it first. */
MUST_USE struct error *requirement_check_key(struct str key);

/* Puts requirements in the order of their keys; equal ones stay as they stand. */
void selector_sort(struct arena *arena, struct selector *selector);

/* Bytewise order of struct str, for qsort(). */
int selector_cmp_str(const void *a, const void *b);

/* Reads as Go's strconv.ParseInt(s, 10, 64). */
bool selector_to_int64(struct str s, int64_t *ret_number);
