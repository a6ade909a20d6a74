/*
 * JSONPath as printer columns use it: the dialect of kubectl, compiled once, asked per object.
 *
 *     .spec.size   .spec.ports[0].name   .spec.ports[-1:]   .spec.labels['a\.b']   .items[*].x
 *     .status.conditions[?(@.type=="Ready")].status   ..name
 *
 * Members that are absent give no result. An index out of bounds, a comparison of different types,
 * a filter on what is no array make the whole query fail, as upstream. Wildcards follow the order
 * of the document. Values are borrowed from the document or from the path.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

struct jsonpath;

/* More results, counted over all steps of a query, make it fail. */
#define JSONPATH_RESULTS_MAX 10000

/* Lives in the arena. ERROR_PARSE says what is wrong with the text. */
MUST_USE struct error *jsonpath_compile(struct arena *arena, struct str text,
                                        const struct jsonpath **ret_path);

/* The first result, or NULL when there is none or the query fails. */
const struct json_value *jsonpath_first(const struct jsonpath *path,
                                        const struct json_value *value);
