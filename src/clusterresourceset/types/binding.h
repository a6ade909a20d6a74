/*
 * A ClusterResourceSetBinding: what each set has applied to one cluster.
 *
 * Objects in, objects out. Entries of other sets, and fields we do not know, stay as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/types/crs_spec.h"

/* Of entries in a binding, and of resources in an entry; the schema's limits. */
#define BINDING_ENTRIES_MAX   100
#define BINDING_RESOURCES_MAX 100

/* What a binding says of one resource of one set. Texts are borrowed. */
struct binding_resource {
    struct resource_ref ref;
    bool applied;
    struct str hash;              /* empty: none */
    struct str last_applied_time; /* RFC 3339; empty: none */
};

/* A new one, with its owner and without entries. */
MUST_USE struct error *binding_new(struct key cluster, struct owner_reference owner,
                                   struct object **ret_binding);

/* Whether the set has an entry; whether that entry has the resource. NULL has nothing. */
bool binding_has_entry(const struct object *binding, struct str set);
bool binding_find_resource(const struct object *binding, struct str set, struct resource_ref ref,
                           struct binding_resource *ret_resource);

/* The owner reference is there as it should be. */
bool binding_is_owned(const struct object *binding, struct owner_reference owner);

/*
 * Whether a resource with this hash has to be applied, given what the binding says of it; found is
 * NULL when it says nothing.
 */
bool binding_needs(enum resource_strategy strategy, const struct binding_resource *found,
                   struct str hash);

/*
 * The binding with the set's owner reference, its entry, and in it these resources, each in its
 * place or at the end. Resources that are no longer named by the set stay, until the limit is
 * reached; then the oldest of those go. The same object when nothing changes.
 */
struct binding_change {
    struct owner_reference owner; /* its name is the set's */
    const struct binding_resource *resources;
    size_t count;
    const struct resource_ref *named; /* by the set now */
    size_t named_count;
};
MUST_USE struct error *binding_record(struct object *binding, const struct binding_change *change,
                                      struct object **ret_binding);

/* The binding without the set's entries and owner reference; the same object when it has none. */
MUST_USE struct error *binding_forget(struct object *binding, struct owner_reference owner,
                                      struct object **ret_binding);

/* Whether any set, or the given one, is in it. */
bool binding_is_empty(const struct object *binding);
bool binding_mentions(const struct object *binding, struct owner_reference owner);
