/*
 * Finds values inside a document by path.
 *
 * Names known to the program are written as dotted C literals: "metadata.labels", "items.0.name".
 * Names that come from data may contain dots and slashes; they go through json_get(). NULL means
 * absent; null and false are values (see json_type()).
 */
#pragma once

#include "json/json.h"

/* A segment of digits counts elements in an array. The empty path is the value itself. */
const struct json_value *json_path(const struct json_value *value, const char *path);

/* The string at the path; empty for any other type and when absent. */
struct str json_path_str(const struct json_value *value, const char *path);

/* Takes the next name off a dotted path; false at its end. */
bool json_path_next(const char **path, struct str *ret_name);

/* Reads an element's index as RFC 6901 writes it: digits without leading zeros. */
bool json_path_index(struct str name, size_t *ret_index);
