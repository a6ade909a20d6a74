/*
 * A validation under way. Private to schema_validate*.c.
 */
#pragma once

#include "apiserver/crd/schema/schema_internal.h"
#include "base/buf.h"
#include "base/quote.h"

struct validate {
    struct field_errors *errors;
    struct str prefix;     /* of fields, not of messages */
    struct buf path;       /* from the value that is validated on */
    size_t matches;        /* checks that applied: the alternative with the most is nearest */
    struct arena scratch;  /* errors of alternatives */
    unsigned alternatives; /* under way, one in another */
};

void validate_tree(struct validate *v, const struct schema_node *node,
                   const struct json_value *value);

/* allOf, anyOf, oneOf and not. */
void validate_logic(struct validate *v, const struct schema_limits *limits,
                    const struct json_value *value);

void validate_number(struct validate *v, const struct schema_node *node,
                     const struct schema_limits *limits, const struct json_value *value);

/* An error at the path: with a value, a number; and one that names no field. */
void validate_fail(struct validate *v, enum field_error_type type, const struct json_value *value,
                   struct str detail);
void validate_fail_int(struct validate *v, enum field_error_type type, int64_t value,
                       struct str detail);
void validate_fail_plain(struct validate *v, struct str detail);

/* "spec.size in body " and the rest. */
struct str validate_in_body(struct validate *v, struct str rest);
