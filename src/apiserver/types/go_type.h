/*
 * The types of built-in kinds, as far as patches and request bodies need them: which members an
 * object has, how a strategic merge patch treats them, and their place in protobuf messages.
 *
 * The tables (go_types_*.c) are shared: a pod spec is one table, whichever kind holds it.
 * Everything is constant and lives for ever.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "base/str.h"

struct go_type; /* opaque; see go_types.h */

/* NULL for kinds that are not built in, custom resources above all: these take no such patches. */
const struct go_type *go_type_find(struct gvk gvk);

/* How a patch treats a list or an object. */
struct strategic_keys {
    bool merge;            /* a list: elements are merged, not replaced */
    bool replace;          /* an object: taken whole */
    bool retain_keys;      /* clients name the members that stay, as in one-of types */
    const char *merge_key; /* member that identifies an element; NULL in a list of scalars */
};

/*
 * For a dotted path such as "spec.template.spec.containers"; elements need no index. False when
 * there is no such member.
 */
bool strategic_keys_find(const struct go_type *type, const char *path,
                         struct strategic_keys *ret_keys);
