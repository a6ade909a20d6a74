/*
 * The binding store: ClusterResourceSetBindings as the management cluster has them, and the only
 * way to change them.
 *
 * Several sets write into one binding. Writers of this process take turns, and each of them edits
 * the newest copy. Every write names the version it is based on, so that a write of another process
 * leads to a conflict; then the binding is read again and the edit is repeated on the new copy.
 *
 * Reads know what this process has written, even if the cache has not seen it yet (own_writes.h).
 *
 * A binding has the name of its Cluster, and all calls take that key.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "apimachinery/owner_reference.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"

struct binding_store;
struct cache;
struct client;
struct loop;

struct binding_store *binding_store_new(struct loop *loop, struct client *client,
                                        struct cache *bindings);
void binding_store_free(struct binding_store *store);
DEFINE_OWNED(binding_store)

/* The newest copy that is known without a request; NULL if there is none. A new reference. */
struct object *binding_store_find(struct binding_store *store, struct key cluster);

/* The resourceVersion of that copy, in the arena; empty if there is none. Parses nothing. */
struct str binding_store_version(struct binding_store *store, struct key cluster,
                                 struct arena *arena);

/* Reads the binding from the server. ERROR_NOT_FOUND. Suspends. */
MUST_USE struct error *binding_store_read(struct binding_store *store, struct key cluster,
                                          struct object **ret_binding);

/* Adds a copy that the caller got from the server. */
void binding_store_put(struct binding_store *store, const struct object *binding);

/* Reads the binding from the server, or creates it with this owner. Suspends. */
MUST_USE struct error *binding_store_ensure(struct binding_store *store, struct key cluster,
                                            struct owner_reference owner,
                                            struct object **ret_binding);

/*
 * Returns the changed binding, or the same object if no change is needed. Must not suspend. Called
 * again on a newer copy after a conflict.
 */
typedef struct error *binding_store_edit_fn(void *data, struct object *binding,
                                            struct object **ret_binding);

/*
 * Changes a binding that exists. ERROR_NOT_FOUND if it is gone, ERROR_CONFLICT if other writers
 * were faster several times in a row. Suspends.
 */
MUST_USE struct error *binding_store_change(struct binding_store *store, struct key cluster,
                                            binding_store_edit_fn *edit, void *data);

/* The same, but deletes a binding that has no entries after the edit. A binding that is gone is
 * fine.
 */
MUST_USE struct error *binding_store_change_or_delete(struct binding_store *store,
                                                      struct key cluster,
                                                      binding_store_edit_fn *edit, void *data);
