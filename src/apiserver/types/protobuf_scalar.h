/*
 * Values of protobuf fields that become one JSON value: scalars, and messages that have a JSON form
 * of their own.
 */
#pragma once

#include "apiserver/types/go_types.h"
#include "apiserver/types/protobuf_wire.h"
#include "json/builder.h"

/* ERROR_BAD_REQUEST when the wire's type is not that of the field, or the value has no JSON form.
 */
MUST_USE struct error *protobuf_scalar_write(struct json_builder *builder,
                                             const struct go_field *field,
                                             const struct wire_field *value);

/* Whether it says nothing that its absence would not. */
bool protobuf_scalar_is_zero(const struct go_field *field, const struct wire_field *value);
