/* Feeds the RBAC index with the roles and bindings that are stored. */
#pragma once

#include <stdbool.h>

#include "apiserver/storage/store.h"
#include "base/error.h"

struct api;

/* Loads all roles and bindings. Called once at the start. */
MUST_USE struct error *rbac_sync_load(struct api *api);

/*
 * The object with this id was changed or deleted. If it is a role or a binding, the next decision
 * follows it. True if the rules of aggregated ClusterRoles may have changed.
 */
bool rbac_sync_update(struct api *api, struct store_id id);
