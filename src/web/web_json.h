/*
 * The pages as JSON: the same facts for programs. Pure. The members are those of
 * docs/reference/web-schema.json; those of sets and clusters are the ones of corset status -o json.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "web/web_query.h"
#include "web/web_view.h"

/* Sets *ret_status to 200, 404 if the subject is not there, or 503 while objects are loaded. */
MUST_USE struct error *web_json_render(const struct web_view *view, const struct web_query *query,
                                       struct buf *out, int *ret_status);
