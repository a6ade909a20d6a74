/*
 * What no client does and no controller manager is there to do: dependents follow their owners,
 * namespaces are emptied before they go, and so are definitions.
 *
 * Owners and dependents are indexed as objects are written. There is no fiber while there is
 * nothing to do, so that a virtual cluster at rest costs only its index.
 */
#pragma once

#include "apiserver/storage/store.h"
#include "base/error.h"
#include "base/owned.h"

struct api;
struct gc;

struct gc *gc_new(struct api *api);

/* Suspends: what it is doing is cancelled and joined. */
void gc_free(struct gc *gc);
DEFINE_OWNED(gc)

/* Indexes what is stored, and goes on with what was under way when the process ended. */
MUST_USE struct error *gc_load(struct gc *gc);

/* An object was written (before may be NULL) or deleted (after is NULL). */
void gc_note(struct gc *gc, struct store_id id, const struct object_text *before,
             const struct object_text *after);
