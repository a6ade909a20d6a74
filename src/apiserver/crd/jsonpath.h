/*
 * JSONPath as printer columns use it: the dialect of k8s.io/client-go/util/jsonpath, compiled once
 * and evaluated per object.
 *
 *     .spec.size   .spec.ports[0].name   .spec.ports[-1:]   .spec.labels['a\.b']   .items[*].x
 *     .status.conditions[?(@.type=="Ready")].status   ..name
 *
 * An absent member gives no result. An index out of bounds, a comparison of values of different
 * types, and a filter on a value that is not an array make the whole query fail, as upstream.
 * Wildcards follow the order of the document. Results are borrowed from the document, or from the
 * path for literals.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

struct jsonpath;

/* A query fails when all of its steps together produce more values. */
#define JSONPATH_RESULTS_MAX 10000

/* Bytes of names, texts and numbers that count as one step of a budget. */
#define JSONPATH_BYTES_PER_STEP 16

/* The path lives in the arena. ERROR_PARSE names the syntax error. */
MUST_USE struct error *jsonpath_compile(struct arena *arena, struct str text,
                                        const struct jsonpath **ret_path);

/* The first result, or NULL when there is none or the query fails. */
const struct json_value *jsonpath_first(const struct jsonpath *path,
                                        const struct json_value *value);

/*
 * The same within a budget of steps, which several paths may share: it is lowered by what was
 * looked at, about 10 ns each. Once it is 0, a query fails.
 */
const struct json_value *jsonpath_first_within(const struct jsonpath *path,
                                               const struct json_value *value, size_t *budget);

/* Lowers a budget, to 0 at the least, for what the caller does with a result. */
void jsonpath_spend(size_t *budget, size_t steps);

/* The steps that reading a string or a number is worth; 0 for other values. */
size_t jsonpath_scalar_steps(const struct json_value *value);
