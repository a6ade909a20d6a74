/*
 * What the two sources of types implement. Private to field_type*.c and field_builtin.c.
 */
#pragma once

#include "apiserver/managedfields/field_type.h"

struct field_type_ops {
    struct field_shape (*shape)(struct field_type type);
    bool (*member)(struct field_type type, struct str name, struct field_member *ret_member);
    struct field_type (*element)(struct field_type type);
    size_t (*key_count)(struct field_type type);
    struct str (*key)(struct field_type type, size_t index);
    bool (*key_default)(struct field_type type, struct str key, struct buf *out);
};

/* Metadata, and a text. */
struct field_type field_builtin_metadata(void);
struct field_type field_builtin_string(void);
