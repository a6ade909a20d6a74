/*
 * What a value is, as far as the ownership of its fields is concerned: which members it has,
 * whether its list is one value, a set, or a map by keys.
 *
 * A cursor that is copied freely; it borrows the schema or the table it stands in. The zero value
 * is a value of which nothing is known: its containers are walked as they are, lists being atomic.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apiserver/crd/schema/schema.h"
#include "apiserver/types/go_type.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/json.h"

struct field_type {
    const struct field_type_ops *ops; /* private */
    const void *node, *more;
    unsigned flags;
};

/* Of a custom resource; the metadata is typed, whatever the schema says of it. NULL: unknown. */
struct field_type field_type_of_schema(const struct schema *schema);

/* Of a built-in kind; false when there is none. */
bool field_type_of_builtin(struct gvk gvk, struct field_type *ret_type);

/* Of an object of a built-in type. */
struct field_type field_type_of_go_type(const struct go_type *type);

/* The rest is for those who walk objects along types. */

/* Forms a value may have, in the order in which one is assumed for null. */
enum field_form {
    FIELD_MAP = 1,
    FIELD_SCALAR = 2,
    FIELD_LIST = 4,
};

enum field_scalar {
    FIELD_SCALAR_ANY,
    FIELD_SCALAR_STRING,
    FIELD_SCALAR_NUMBER,
    FIELD_SCALAR_BOOL,
};

struct field_shape {
    unsigned forms; /* of enum field_form */
    enum field_scalar scalar;
    bool atomic_map;
    enum schema_list_type list;
};

struct field_shape field_type_shape(struct field_type type);

/* What an absent member counts as when its object is there. */
enum field_absent {
    FIELD_ABSENT,
    FIELD_ABSENT_NULL,
    FIELD_ABSENT_OBJECT,
    FIELD_ABSENT_STRING,
    FIELD_ABSENT_NUMBER,
    FIELD_ABSENT_BOOL,
};

struct field_member {
    struct field_type type;
    bool declared; /* by name, not just as one of any names */
    enum field_absent absent;
};

/* Of an object; false when it can have no such member. */
bool field_type_member(struct field_type type, struct str name, struct field_member *ret_member);

struct field_type field_type_element(struct field_type type);

/* The keys of a list that is a map, in no order. */
size_t field_type_key_count(struct field_type type);
struct str field_type_key(struct field_type type, size_t index);

/* Adds the JSON text that an absent key counts as; false when there is none. */
bool field_type_key_default(struct field_type type, struct str key, struct buf *out);
