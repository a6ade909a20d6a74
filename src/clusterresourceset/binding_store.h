/*
 * The binding_store: bindings as the management cluster has them, and the one way to change them.
 *
 * Several sets write into one binding. Whoever changes one takes turns with the others of this
 * process and puts its part into the newest copy; writers elsewhere are met by the version that
 * every write names, and then it is read and tried again. What we wrote ourselves is known at once,
 * whether the cache has seen it or not.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "apimachinery/owner_reference.h"
#include "base/error.h"
#include "base/owned.h"

struct cache;
struct client;
struct binding_store;
struct loop;

struct binding_store *binding_store_new(struct loop *loop, struct client *client,
                                        struct cache *bindings);
void binding_store_free(struct binding_store *binding_store);
DEFINE_OWNED(binding_store)

/* The newest copy that is known, without asking; NULL when none is. */
struct object *binding_store_find(struct binding_store *binding_store, struct key cluster);

/* Its version, in the arena; empty when there is none. Cheap. */
struct str binding_store_version(struct binding_store *binding_store, struct key cluster,
                                 struct arena *arena);

/* As the server has it now. ERROR_NOT_FOUND. Suspends. */
MUST_USE struct error *binding_store_read(struct binding_store *binding_store, struct key cluster,
                                          struct object **ret_binding);

/* A copy that somebody got from the server. */
void binding_store_put(struct binding_store *binding_store, const struct object *binding);

/* As the server has it now, made with this owner if there is none. Suspends. */
MUST_USE struct error *binding_store_ensure(struct binding_store *binding_store, struct key cluster,
                                            struct owner_reference owner,
                                            struct object **ret_binding);

/* Makes the changed binding, or returns the same when it is as it should be. Must not suspend. */
typedef struct error *binding_store_edit_fn(void *data, struct object *binding,
                                            struct object **ret_binding);

/*
 * Changes a binding that exists. ERROR_NOT_FOUND when it is gone, ERROR_CONFLICT when others were
 * faster several times in a row. Suspends.
 */
MUST_USE struct error *binding_store_change(struct binding_store *binding_store, struct key cluster,
                                            binding_store_edit_fn *edit, void *data);

/* The same; a binding that comes out without entries is deleted. One that is gone is fine. */
MUST_USE struct error *binding_store_change_or_delete(struct binding_store *binding_store,
                                                      struct key cluster,
                                                      binding_store_edit_fn *edit, void *data);
