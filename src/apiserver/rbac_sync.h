/*
 * Roles and bindings as they are stored, told to the authorizer one by one.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/storage/store.h"
#include "base/error.h"

struct api;

/* All of them, at start. */
MUST_USE struct error *rbac_sync_load(struct api *api);

/*
 * The object with this id was changed or deleted. If it is a role or a binding, the next decision
 * follows it. True if the rules of aggregated ClusterRoles may have changed.
 */
bool rbac_sync_update(struct api *api, struct store_id id);
