/* The ClusterResourceSet that names the parts of a bundle. */
#pragma once

#include "apimachinery/object.h"
#include "base/error.h"
#include "base/str.h"

struct bundle_parts;

/*
 * selector is the text form, "cni=yes,tier in (a,b)"; strategy may be empty. ERROR_INVALID for a
 * selector that is empty, or that a ClusterResourceSet cannot have.
 */
MUST_USE struct error *bundle_set_make(struct str name, struct str selector, struct str strategy,
                                       const struct bundle_parts *parts, struct object **ret_set);
