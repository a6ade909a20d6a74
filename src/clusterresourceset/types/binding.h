/*
 * A ClusterResourceSetBinding: what each set has applied to one cluster.
 *
 *     spec:
 *       clusterName: c1
 *       bindings:                          # one entry for each set
 *       - clusterResourceSetName: crs1
 *         resources:                       # one record for each ConfigMap or Secret
 *         - {kind: ConfigMap, name: cm1, hash: "sha256:…", lastAppliedTime: …, applied: true}
 *
 * Pure: the functions take an object and return a changed one. Entries of other sets and fields
 * that are not known here stay as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/types/crs_spec.h"

struct delivery_kinds;
struct delivery_outcome;
struct delivery_prune;

/* Limits of the schema: entries in a binding, and resources in an entry. */
#define BINDING_ENTRIES_MAX   100
#define BINDING_RESOURCES_MAX 100

/* The UID of the cluster that the records are about, see cluster_connection_cluster_uid(). */
#define BINDING_CLUSTER_UID "corset.dev/cluster-uid"

/* The record of one resource of one set. Texts are borrowed. */
struct binding_resource {
    struct resource_ref ref;
    bool applied;
    struct str hash;              /* empty: none */
    struct str last_applied_time; /* RFC 3339; empty: none */
};

/* A new binding with an owner and without entries. */
MUST_USE struct error *binding_new(struct key cluster, struct owner_reference owner,
                                   struct object **ret_binding);

/* Whether the set has an entry, and whether the entry has the resource. binding may be NULL. */
bool binding_has_entry(const struct object *binding, struct str set);
bool binding_find_resource(const struct object *binding, struct str set, struct resource_ref ref,
                           struct binding_resource *ret_resource);

/*
 * Whether something of the set was applied to the cluster, or tried: its entry has a result that is
 * applied or names a hash. An entry without results is made while there is no connection. binding
 * may be NULL.
 */
bool binding_has_begun(const struct object *binding, struct str set);

size_t binding_entry_count(const struct object *binding);

/* Whether the set has an entry or can get one. binding may be NULL. */
bool binding_has_room(const struct object *binding, struct str set);

/* True if the binding has exactly this owner reference. */
bool binding_is_owned(const struct object *binding, struct owner_reference owner);

/*
 * Whether a resource with this hash has to be applied. found is its record; NULL if there is none.
 * ApplyOnce applies until it has succeeded once, Reconcile also whenever the hash changes.
 */
bool binding_needs(enum resource_strategy strategy, const struct binding_resource *found,
                   struct str hash);

/*
 * Adds the owner reference and the entry of a set, and records these resources in the entry, each
 * in its old place or at the end. Records of resources that the set no longer names stay, as in
 * Cluster API; when the limit is reached, the oldest of them are removed. Returns the same object
 * if nothing changes.
 */
struct binding_change {
    struct owner_reference owner; /* its name is the set's */
    const struct binding_resource *resources;
    size_t count;
    const struct resource_ref *named; /* by the set now */
    size_t named_count;
    struct str cluster_uid; /* goes into the binding with the rest; empty: not known */
    const struct delivery_outcome *outcome; /* for the record of delivery.h; NULL: it stays */
};
MUST_USE struct error *binding_record(struct object *binding, const struct binding_change *change,
                                      struct object **ret_binding);

/*
 * Changes the record of delivery.h alone, by delivery_write_prune(). Returns the same object if
 * nothing changes.
 */
MUST_USE struct error *binding_record_prune(struct object *binding, struct str set,
                                            const struct delivery_prune *prune,
                                            const struct delivery_kinds *gone, struct str now,
                                            struct object **ret_binding);

/*
 * True if the records are about a cluster with another UID. A binding that names no UID is
 * believed. binding_void() drops every entry and every record of delivery.h, and names the new UID.
 */
bool binding_is_of_other_cluster(const struct object *binding, struct str cluster_uid);
MUST_USE struct error *binding_void(const struct object *binding, struct str cluster_uid,
                                    struct object **ret_binding);

/* Removes the entries, the owner reference and the record of delivery.h of a set. Returns the same
 * object if it has none.
 */
MUST_USE struct error *binding_forget(struct object *binding, struct owner_reference owner,
                                      struct object **ret_binding);

/* True if there are no entries; and if the set has an entry or an owner reference of any UID. */
bool binding_is_empty(const struct object *binding);
bool binding_mentions(const struct object *binding, struct owner_reference owner);
