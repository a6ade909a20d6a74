/*
 * Warns of what server-side apply does with a manifest that is not plain: fields that only a server
 * writes, as exported manifests have them, are left out; an object with a list that has a key twice
 * is merged instead.
 *
 * Lists are known of the kinds that Kubernetes brings, and the status of those and of kinds that a
 * CustomResourceDefinition among the same objects defines. Of others nothing is said.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/object.h"
#include "base/buf.h"

/* Each returns how many objects there are; adds "2 objects …" to out, and nothing for none. */
size_t apply_warning_add_server_fields(struct buf *out, struct object *const *objects,
                                       size_t count);
size_t apply_warning_add_duplicates(struct buf *out, struct object *const *objects, size_t count);
