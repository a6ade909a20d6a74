/*
 * Roles and bindings as they are stored, told to the authorizer one by one.
 */
#pragma once

#include "apiserver/storage/store.h"
#include "base/error.h"

struct api;

/* All of them, at start. */
MUST_USE struct error *rbac_sync_load(struct api *api);

/* This one changed, if it is one: the next question is answered accordingly. */
void rbac_sync_update(struct api *api, struct store_id id);
