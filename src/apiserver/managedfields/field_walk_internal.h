/*
 * What the sources of field_walk share.
 */
#pragma once

#include "apiserver/managedfields/field_items.h"
#include "apiserver/managedfields/field_walk.h"

static inline enum field_form field_form_of(struct field_shape shape,
                                            const struct json_value *value)
{
    const enum json_type type = json_type(value);
    const unsigned wanted = type == JSON_OBJECT                        ? FIELD_MAP
                            : type == JSON_ARRAY                       ? FIELD_LIST
                            : type == JSON_NULL || type == JSON_ABSENT ? 0
                                                                       : FIELD_SCALAR;
    if (shape.forms & wanted)
        return (enum field_form)wanted;
    return (shape.forms & FIELD_MAP)      ? FIELD_MAP
           : (shape.forms & FIELD_SCALAR) ? FIELD_SCALAR
                                          : FIELD_LIST;
}

/* The type of a member; that of anything when it should not be there. */
static inline struct field_member field_member_of(struct field_type type, struct str name)
{
    struct field_member member;
    if (!field_type_member(type, name, &member))
        member = (struct field_member){.declared = false};
    return member;
}

static inline bool field_form_is_atomic(struct field_shape shape, enum field_form form)
{
    return form == FIELD_SCALAR || (form == FIELD_MAP && shape.atomic_map) ||
           (form == FIELD_LIST && shape.list == SCHEMA_LIST_ATOMIC);
}
