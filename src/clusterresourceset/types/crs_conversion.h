/*
 * ClusterResourceSets and ClusterResourceSetBindings from one version to the other, as pure
 * functions. Nothing is lost on the way there and back.
 *
 * Both versions of a set differ in where the status keeps its two families of conditions: each has
 * its own at status.conditions, and those of the other below a member that says so.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

/* To "v1beta1" or "v1beta2"; the same document when it is of that version. */
MUST_USE struct error *crs_convert_set(struct json_doc *doc, struct str to_version,
                                       struct json_doc **ret_doc);
MUST_USE struct error *crs_convert_binding(struct json_doc *doc, struct str to_version,
                                           struct json_doc **ret_doc);
