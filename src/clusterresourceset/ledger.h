/*
 * The ledger: bindings as the management cluster has them, and the one way to change them.
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
struct ledger;
struct loop;

struct ledger *ledger_new(struct loop *loop, struct client *client, struct cache *bindings);
void ledger_free(struct ledger *ledger);
DEFINE_OWNED(ledger)

/* The newest copy that is known, without asking; NULL when none is. */
struct object *ledger_peek(struct ledger *ledger, struct key cluster);

/* Its version, in the arena; empty when there is none. Cheap. */
struct str ledger_version(struct ledger *ledger, struct key cluster, struct arena *arena);

/* As the server has it now. ERROR_NOT_FOUND. Suspends. */
MUST_USE struct error *ledger_read(struct ledger *ledger, struct key cluster,
                                   struct object **ret_binding);

/* A copy that somebody got from the server. */
void ledger_put(struct ledger *ledger, const struct object *binding);

/* As the server has it now, made with this owner if there is none. Suspends. */
MUST_USE struct error *ledger_ensure(struct ledger *ledger, struct key cluster,
                                     struct owner_reference owner, struct object **ret_binding);

/* Makes the changed binding, or returns the same when it is as it should be. Must not suspend. */
typedef struct error *ledger_edit_fn(void *data, struct object *binding,
                                     struct object **ret_binding);

/*
 * Changes a binding that exists. ERROR_NOT_FOUND when it is gone, ERROR_CONFLICT when others were
 * faster several times in a row. Suspends.
 */
MUST_USE struct error *ledger_change(struct ledger *ledger, struct key cluster,
                                     ledger_edit_fn *edit, void *data);

/* The same; a binding that comes out without entries is deleted. One that is gone is fine. */
MUST_USE struct error *ledger_withdraw(struct ledger *ledger, struct key cluster,
                                       ledger_edit_fn *edit, void *data);
