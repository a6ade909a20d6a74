/*
 * The model of corset status as JSON, for programs. Pure. The members are part of the program's
 * interface.
 */
#pragma once

#include "base/error.h"
#include "json/json.h"
#include "status/status_model.h"

struct json_builder;

/* One of them as a value of the document that is built. */
void status_json_add_set(struct json_builder *builder, const struct status_set *set);
void status_json_add_cluster(struct json_builder *builder, const struct status_cluster *cluster);
void status_json_add_cell(struct json_builder *builder, const struct status_cell *cell);

/* ERROR_TOO_LARGE. */
MUST_USE struct error *status_json_render(const struct status_model *model,
                                          struct json_doc **ret_doc);
