/*
 * Warns of objects that need a namespace and have none: they would fail in every cluster.
 *
 * What needs a namespace is known of the kinds that Kubernetes brings, and of those that a
 * CustomResourceDefinition among the same objects defines. Of others nothing is said.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/object.h"
#include "base/buf.h"

/* How many there are; adds "3 objects need a namespace …" to out, and nothing for none. */
size_t namespace_warning_add(struct buf *out, struct object *const *objects, size_t count);
