/*
 * Conversion of ClusterResourceSets and ClusterResourceSetBindings between v1beta1 and v1beta2, as
 * pure functions. A conversion there and back loses nothing.
 *
 * The versions of a set differ in their status. There are two lists of conditions, and each version
 * has its own one at status.conditions and that of the other version below status.v1beta2 or
 * status.deprecated.v1beta1.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

/* To "v1beta1" or "v1beta2". Returns the same document if it has that version. */
MUST_USE struct error *crs_convert_set(struct json_doc *doc, struct str to_version,
                                       struct json_doc **ret_doc);
MUST_USE struct error *crs_convert_binding(struct json_doc *doc, struct str to_version,
                                           struct json_doc **ret_doc);
