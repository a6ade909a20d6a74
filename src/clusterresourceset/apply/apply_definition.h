/*
 * CustomResourceDefinitions among the objects of a batch: which of them defines a kind, and whether
 * the cluster serves that kind by now. Pure.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apimachinery/object.h"

bool apply_definition_is(const struct object *object);

/* True for a CustomResourceDefinition that serves this version of the kind. */
bool apply_definition_brings(const struct object *object, struct gvk gvk);

/* By the definition as the cluster has it. */
enum apply_definition_state {
    APPLY_DEFINITION_PENDING,     /* waiting helps */
    APPLY_DEFINITION_ESTABLISHED, /* discovery will show the kind soon */
    APPLY_DEFINITION_REFUSED, /* its names are taken, it is being deleted, or it lacks the version:
                                 waiting is useless */
};
enum apply_definition_state apply_definition_state(const struct object *live, struct gvk gvk);
