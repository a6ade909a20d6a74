/*
 * What a controller manager does on other servers: garbage collection of dependents, and emptying
 * namespaces and CustomResourceDefinitions that are being deleted.
 *
 * Owners and dependents are indexed as objects are written. There is no fiber while there is
 * nothing to do, so an idle virtual cluster costs only its index.
 */
#pragma once

#include "apiserver/storage/store.h"
#include "base/error.h"
#include "base/owned.h"

struct api;
struct gc;

struct gc *gc_new(struct api *api);

/* Cancels and joins the work under way. Suspends. */
void gc_free(struct gc *gc);
DEFINE_OWNED(gc)

/* Indexes what is stored, and continues what was under way when the process ended. */
MUST_USE struct error *gc_load(struct gc *gc);

/*
 * An object was written (before may be NULL) or deleted (after is NULL). Called by api_decide().
 * Suspends if the object had very many owners.
 */
void gc_note(struct gc *gc, struct store_id id, const struct object_text *before,
             const struct object_text *after);
