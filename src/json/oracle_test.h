/*
 * Rows of tests/support/data/oracle: inputs with the answers that Kubernetes gives for them.
 */
#pragma once

#include "json/json.h"

/* The next row, its id named as the test case; NULL at the end. */
struct json_doc *oracle_next(struct str *text);

/* Frees one row and reads the next. */
void oracle_step(struct str *text, struct json_doc **row);

/* Equal including the text of every number. */
void oracle_check_same(const struct json_value *seen, const struct json_value *expected);

/* "result", or "error" with "code". Frees the error. */
void oracle_check_outcome(const struct json_value *row, struct error *err,
                          const struct json_doc *seen);

/* "strict": the warnings, in order; none when the member is absent. */
void oracle_check_strict(const struct json_value *row, const struct json_warnings *warnings);
