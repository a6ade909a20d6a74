/*
 * The types of built-in kinds, as far as patches and request bodies need them: which members an
 * object has, how a strategic merge patch treats them, and their place in protobuf messages.
 *
 * The tables (go_types_*.c) are shared: a pod spec is one table, whichever kind holds it.
 * Everything is constant and lives for ever.
 */
#pragma once

#include "apimachinery/gvk.h"
#include "base/str.h"

struct go_type; /* opaque; see go_types.h */

/* NULL for kinds that are not built in, custom resources above all: these take no such patches. */
const struct go_type *go_type_find(struct gvk gvk);
