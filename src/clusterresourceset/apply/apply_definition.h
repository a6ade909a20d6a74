/*
 * Definitions of kinds among the objects that are applied: which one defines a kind, and whether
 * its cluster serves that kind by now.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apimachinery/object.h"

bool apply_definition_is(const struct object *object);

/* A CustomResourceDefinition that brings this very version of the kind. */
bool apply_definition_brings(const struct object *object, struct gvk gvk);

/* As the definition stands in the cluster. */
enum apply_definition_state {
    APPLY_DEFINITION_PENDING,     /* waiting helps */
    APPLY_DEFINITION_ESTABLISHED, /* discovery shows the kind any moment */
    APPLY_DEFINITION_REFUSED,     /* its names are taken, or it does not have the version */
};
enum apply_definition_state apply_definition_state(const struct object *live, struct gvk gvk);
