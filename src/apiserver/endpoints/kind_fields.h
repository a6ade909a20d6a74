/*
 * Field selectors: which fields of a kind can be selected (those of its table, metadata.name and
 * metadata.namespace), and whether an object matches.
 */
#pragma once

#include "apimachinery/field_selector.h"
#include "base/error.h"

struct kind;

/* ERROR_BAD_REQUEST for a field that the kind does not offer. */
MUST_USE struct error *kind_fields_check(const struct kind *kind,
                                         const struct field_selector *selector);

bool kind_fields_match(const struct kind *kind, const struct field_selector *selector,
                       const struct json_value *object);
