/*
 * The state of one validation. Private to schema_validate*.c.
 */
#pragma once

#include "apiserver/crd/schema/schema_internal.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/quote.h"

/*
 * What one validation may take, in steps of a few nanoseconds: some 50 ms. A schema and an object
 * can multiply (each of many elements with each of many alternatives), and both may be a
 * stranger's.
 */
#define VALIDATE_WORK_MAX ((size_t)10 * 1000 * 1000)

struct validate {
    struct field_errors *errors;
    struct str prefix;     /* put before the path in fields, not in messages */
    struct buf path;       /* of the current value, relative to the validated one */
    size_t matches;        /* checks that applied; anyOf and oneOf report the best alternative */
    struct arena scratch;  /* errors of alternatives */
    unsigned alternatives; /* depth of nested allOf, anyOf, oneOf and not */
    size_t work;           /* left of VALIDATE_WORK_MAX; 0: validation stops, and has failed */

    /* The members of the object that was asked for by name last, if it has many. */
    const struct json_value *indexed;
    struct map index;
};

/* Takes steps off what is left. False when nothing is left. */
bool validate_spend(struct validate *v, size_t steps);

/* Validates a value and all it contains. */
void validate_tree(struct validate *v, const struct schema_node *node,
                   const struct json_value *value);

/* allOf, anyOf, oneOf and not. */
void validate_logic(struct validate *v, const struct schema_limits *limits,
                    const struct json_value *value);

void validate_number(struct validate *v, const struct schema_node *node,
                     const struct schema_limits *limits, const struct json_value *value);

/* Adds an error at the current path, showing a value or a number; or one without a field. */
void validate_fail(struct validate *v, enum field_error_type type, const struct json_value *value,
                   struct str detail);
void validate_fail_int(struct validate *v, enum field_error_type type, int64_t value,
                       struct str detail);
void validate_fail_plain(struct validate *v, struct str detail);

/* Returns "spec.size in body " followed by the rest. */
struct str validate_in_body(struct validate *v, struct str rest);
