/*
 * What is wrong with a field, in the words of Kubernetes: "spec.size: Invalid value: 5: too big".
 *
 *     struct field_errors errors = {.arena = arena};
 *     field_errors_add_str(&errors, FIELD_INVALID, STR("metadata.name"), name, STR("must be ..."));
 *     if (errors.count)
 *         return status_invalid(gvk, name, &errors);
 *
 * Errors are collected, so that a user sees all of them at once. Texts live in the arena. Values
 * that may be secret must not be added.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "json/json.h"

enum field_error_type {
    FIELD_NOT_FOUND,
    FIELD_REQUIRED,
    FIELD_DUPLICATE,
    FIELD_INVALID,
    FIELD_NOT_SUPPORTED,
    FIELD_FORBIDDEN,
    FIELD_TOO_LONG,
    FIELD_TOO_MANY,
    FIELD_INTERNAL,
    FIELD_TYPE_INVALID,
};

struct field_error {
    enum field_error_type type;
    struct str field; /* path; empty is written as "<nil>" */
    struct str body;  /* all behind "path: " */
};

/* Further errors are dropped: an object of a megabyte can have very many mistakes. */
#define FIELD_ERRORS_MAX 1000

/* So are those behind this much text: each of them may quote a large value. */
#define FIELD_ERRORS_TEXT_MAX ((size_t)1024 * 1024)

struct field_errors {
    struct arena *arena;
    struct field_error *items;
    size_t count, capacity; /* capacity is private */
    size_t text;            /* bytes of all */
};

/* Further errors would be dropped. */
static inline bool field_errors_is_full(const struct field_errors *errors)
{
    return errors->count >= FIELD_ERRORS_MAX || errors->text >= FIELD_ERRORS_TEXT_MAX;
}

/* An error without a value: Required value, Forbidden, Internal error. The detail may be empty. */
void field_errors_add(struct field_errors *errors, enum field_error_type type, struct str field,
                      struct str detail);

/* An error with a string, a number or any JSON value, where NULL is shown as null. */
void field_errors_add_str(struct field_errors *errors, enum field_error_type type, struct str field,
                          struct str value, struct str detail);
void field_errors_add_int(struct field_errors *errors, enum field_error_type type, struct str field,
                          int64_t value, struct str detail);
void field_errors_add_value(struct field_errors *errors, enum field_error_type type,
                            struct str field, const struct json_value *value, struct str detail);

/* Unsupported value: "pink": supported values: "red", "green" */
void field_errors_add_not_supported(struct field_errors *errors, struct str field, struct str value,
                                    const struct str *supported, size_t count);

/* Too long: may not be more than 8 bytes. Too many: 5: must have at most 4 items. */
void field_errors_add_too_long(struct field_errors *errors, struct str field, size_t max);
void field_errors_add_too_many(struct field_errors *errors, struct str field, size_t count,
                               size_t max);

/* The reason that the cause in a Status has: "FieldValueInvalid" and so on. */
struct str field_error_reason(enum field_error_type type);

/* One error as it is; several as "[a, b]", without repetitions. */
void field_errors_write(struct buf *out, const struct field_errors *errors);
