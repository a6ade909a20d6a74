/*
 * What every API begins with: namespaces, roles and bindings.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct api;

/* Makes what is missing. Roles are stored only if the API does not share them. Suspends. */
MUST_USE struct error *bootstrap_fill(struct api *api, bool with_roles, struct str authority);
