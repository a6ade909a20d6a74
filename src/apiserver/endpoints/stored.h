/*
 * Objects in the form in which they are stored: one version per resource, compact text.
 */
#pragma once

#include "apimachinery/object_text.h"
#include "base/error.h"
#include "json/json.h"

struct kind;

/* From the kind's version to the stored text. */
MUST_USE struct error *stored_text(const struct kind *kind, struct json_doc *doc,
                                   struct object_text **ret_text);
