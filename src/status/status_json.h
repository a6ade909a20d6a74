/*
 * The model of corset status as JSON, for programs. Pure. The members are part of the program's
 * interface.
 */
#pragma once

#include "base/error.h"
#include "json/json.h"
#include "status/status_model.h"

/* ERROR_TOO_LARGE. */
MUST_USE struct error *status_json_render(const struct status_model *model,
                                          struct json_doc **ret_doc);
