/* Names of objects in the output of commands, fit for a terminal. */
#pragma once

#include "apimachinery/object.h"
#include "base/buf.h"

/* "ConfigMap default/cni" */
void object_name_add_resource(struct buf *out, const struct object *resource);

/* As kubectl names objects: "deployment.apps/coredns". */
void object_name_add(struct buf *out, const struct object *object);
