/* The objects that every API begins with: namespaces, roles and bindings. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct api;

/*
 * Creates the objects that are missing. Roles are stored only if the API does not share them with
 * others. Suspends.
 */
MUST_USE struct error *bootstrap_fill(struct api *api, bool with_roles, struct str authority);

/* The ConfigMap that kube-apiserver publishes for others, with this authority from now on. */
MUST_USE struct error *bootstrap_publish_authority(struct api *api, struct str authority);
