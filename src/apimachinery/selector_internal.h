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

/*
 * The label of each requirement, in an array of NULLs with a place for each. Returns the number of
 * keys that were compared: the labels times the logarithm of the requirements, and no product.
 */
size_t selector_find_labels(const struct selector *selector, const struct json_value *labels,
                            const struct json_value **ret_labels);

/* Reads as Go's strconv.ParseInt(s, 10, 64). */
bool selector_to_int64(struct str s, int64_t *ret_number);
