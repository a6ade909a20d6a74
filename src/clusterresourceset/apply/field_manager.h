/*
 * The field manager under which a set applies: "corset:<namespace>/<set>". One for each set, so
 * that a server's metadata.managedFields tell which set has which fields of an object.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* What a server accepts. */
#define FIELD_MANAGER_MAX 128

/* A name that is too long keeps its beginning, and its hash behind that. In the arena. */
struct str field_manager_of_set(struct arena *arena, struct key set);

/* For the manager of a set: "namespace/set", cut as the manager is. False for all others. */
bool field_manager_set(struct str manager, struct str *ret_set);

/* True for a server's refusal because other managers have set fields that we set. */
bool field_manager_is_conflict(const struct error *err);

/* A field that another manager has set, as the server writes it, and that manager. Borrowed. */
struct field_manager_conflict {
    struct str field, manager; /* ".spec.ports[port=80].name"; "kubectl" */
};

/* All of such a refusal, in the arena; none of any other error. err may be NULL. */
const struct field_manager_conflict *
field_manager_conflicts(const struct error *err, struct arena *arena, size_t *ret_count);

/*
 * For people: "spec.ports[80].name owned by kubectl". Keys of list items are values of the object:
 * of what must stay secret they are left out.
 */
void field_manager_conflict_write(const struct field_manager_conflict *conflict, bool is_secret,
                                  struct buf *out);

/*
 * The first set among the managers of such a refusal, "namespace/set" in the arena; empty: none of
 * them is a set.
 */
struct str field_manager_conflicting_set(const struct error *err, struct arena *arena);
