/*
 * Reads structs from JSON objects by a table of fields.
 *
 *     static const struct json_field crs_fields[] = {
 *         {"spec.strategy", json_read_str,  offsetof(struct crs, strategy), JSON_OPTIONAL},
 *         {"spec.paused",   json_read_bool, offsetof(struct crs, paused),   JSON_OPTIONAL},
 *     };
 *     TRY(json_read_fields(arena, object, crs_fields, COUNT(crs_fields), &crs), "read object");
 *
 * Null counts as absent, as in Go. An optional field that is absent leaves its struct member
 * unchanged. Errors are ERROR_INVALID and name the path and the type found, never the value, which
 * may be secret. Fields that no table lists are ignored.
 */
#pragma once

#include "json/json.h"

/* Reads a present, non-null value into a struct member. Allocations live in the arena. */
typedef struct error *json_read_fn(struct arena *arena, const struct json_value *value, void *out);

enum json_presence {
    JSON_OPTIONAL,
    JSON_REQUIRED,
};

struct json_field {
    const char *path; /* dotted, see json_path() */
    json_read_fn *read;
    size_t offset; /* of the member */
    enum json_presence presence;
};

MUST_USE struct error *json_read_fields(struct arena *arena, const struct json_value *value,
                                        const struct json_field *fields, size_t count, void *out);

/* Readers, with the type of the struct member that each fills. */
json_read_fn json_read_str;    /* struct str, borrowed from the document */
json_read_fn json_read_bool;   /* bool */
json_read_fn json_read_object; /* const struct json_value *, an object, borrowed */
json_read_fn json_read_array;  /* const struct json_value *, an array, borrowed */
json_read_fn json_read_any;    /* const struct json_value *, borrowed */

/* A list of strings as a struct member. */
struct json_strings {
    struct str *items; /* in the arena, text borrowed */
    size_t count;
};
json_read_fn json_read_strings; /* struct json_strings */

/*
 * For readers of a list of structs: allocates one struct of this size per element and reads it by
 * the table. A json_read_fn that knows the member's type calls it.
 */
MUST_USE struct error *json_read_list(struct arena *arena, const struct json_value *value,
                                      const struct json_field *fields, size_t count, size_t size,
                                      void **ret_items, size_t *ret_count);

/* The error for a value of the wrong type, for readers of other types. */
MUST_USE struct error *json_wrong_type(const struct json_value *value, enum json_type expected);
