/*
 * Resource snapshots: what the ConfigMaps and Secrets that sets name contain, parsed once for all
 * sets and clusters.
 *
 * A cache of metadata says which version of a resource is current. Only a version that is not known
 * yet is fetched, once, however many sets name the resource. A snapshot is what one version
 * contains; it never changes. A set that holds a snapshot keeps it alive when a newer one takes its
 * place.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "apimachinery/owner_reference.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "clusterresourceset/fault.h"
#include "clusterresourceset/types/content.h"
#include "clusterresourceset/types/crs_spec.h"
#include "clusterresourceset/types/values_fill.h"

struct cache;
struct client;
struct resource_snapshot;
struct resource_snapshots;

struct resource_snapshots_options {
    struct client *client;
    struct cache *config_maps, *secrets; /* metadata only */
};

struct resource_snapshots *resource_snapshots_new(const struct resource_snapshots_options *options);
void resource_snapshots_free(struct resource_snapshots *snapshots);
DEFINE_OWNED(resource_snapshots)

/*
 * The snapshot of the current version; a new reference. It never fails: a resource that is missing
 * or cannot be read has a snapshot with a fault. Suspends if the resource has to be fetched.
 */
struct resource_snapshot *resource_snapshots_get(struct resource_snapshots *snapshots,
                                                 enum resource_kind kind, struct key key);

/* Makes the set an owner of the resource, if it exists and has not that owner. Suspends. */
MUST_USE struct error *resource_snapshots_add_owner(struct resource_snapshots *snapshots,
                                                    enum resource_kind kind, struct key key,
                                                    struct owner_reference owner);

/* Drops the snapshots that no caller has asked for since the last sweep. */
void resource_snapshots_sweep(struct resource_snapshots *snapshots);

/* From a whole ConfigMap or Secret. Pure. */
struct resource_snapshot *resource_snapshot_read(const struct object *resource);
/* Of a resource that could not be read, and why. */
struct resource_snapshot *resource_snapshot_absent(const struct error *err);
struct resource_snapshot *resource_snapshot_ref(struct resource_snapshot *snapshot);
void resource_snapshot_free(struct resource_snapshot *snapshot); /* gives one reference back */
DEFINE_OWNED(resource_snapshot)

/*
 * FAULT_NONE; FAULT_MISSING, FAULT_UNREADABLE or FAULT_WRONG_TYPE for a resource that no cluster
 * gets; FAULT_NOT_APPLIED for a content that cannot be used. The text says why.
 */
enum fault_type resource_snapshot_fault(const struct resource_snapshot *snapshot);
struct str resource_snapshot_text(const struct resource_snapshot *snapshot);

/* NULL if there is a fault. The hash exists also for a content that cannot be used. */
const struct content *resource_snapshot_content(const struct resource_snapshot *snapshot);
struct str resource_snapshot_hash(const struct resource_snapshot *snapshot);

/* Which values of Clusters the objects use; looked for by the first call. NULL: there is a fault.
 */
const struct values_use *resource_snapshot_values(struct resource_snapshot *snapshot);

/* The same resource with values of one Cluster in its objects. Takes the content. */
struct resource_snapshot *resource_snapshot_filled(struct content *content);

/* True if both mean the same for clusters: fault, text and hash agree. Other metadata may differ.
 */
bool resource_snapshot_eq(const struct resource_snapshot *a, const struct resource_snapshot *b);
