/*
 * What a value is, as far as the ownership of its fields is concerned: which members it has,
 * whether its list is one value, a set, or a map by keys.
 *
 * A cursor that is copied freely; it borrows the schema or the table it stands in. The zero value
 * is a value of which nothing is known: its containers are walked as they are, lists being atomic.
 */
#pragma once

#include <stdbool.h>

#include "api/gvk.h"
#include "base/str.h"
#include "schema/schema.h"

struct field_type {
    const struct field_type_ops *ops; /* private */
    const void *node, *more;
    unsigned flags;
};

/* Of a custom resource; the metadata is typed, whatever the schema says of it. NULL: unknown. */
struct field_type field_type_of_schema(const struct schema *schema);

/* Of a built-in kind; false when there is none. */
bool field_type_of_builtin(struct gvk gvk, struct field_type *ret_type);
