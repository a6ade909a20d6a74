/*
 * Reads JSON text; failures are explained in the words of Go's encoding/json. Private to this
 * folder.
 *
 * json_read() adds line and column to the message. Patches pass the message on unchanged, because
 * clients of a Kubernetes API know it.
 */
#pragma once

#include "json/json_internal.h"

struct read_problem {
    size_t offset;
    char message[192];
};

/* NULL on failure. */
struct json_doc *read_text(struct str text, struct json_warnings *warnings,
                           struct read_problem *ret_problem);

/* ERROR_PARSE with line and column in front. */
MUST_USE struct error *read_error_at(struct str text, const struct read_problem *problem);

/* ERROR_TOO_LARGE past JSON_TEXT_MAX. read_text() does not check the size. */
MUST_USE struct error *read_check_size(struct str text);

/* A value's type in the words of Go's decoder: "bool", "number", "string", "array", "object". */
const char *read_go_type(const struct json_value *value);
