/*
 * Supplies: what the ConfigMaps and Secrets that sets name hold, read once for all clusters.
 *
 * A cache of metadata says which version is current; only a version that is not known yet is
 * fetched, once, however many sets name the resource. A snapshot is what one version was found to
 * be; it does not change.
 */
#pragma once

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/owned.h"
#include "clusterresourceset/conditions.h"
#include "clusterresourceset/types/content.h"
#include "clusterresourceset/types/crs_spec.h"

struct cache;
struct client;
struct resource_snapshot;
struct resource_snapshots;

struct resource_snapshots_options {
    struct client *client;
    struct cache *config_maps, *secrets; /* metadata of all that may be named */
};

struct resource_snapshots *resource_snapshots_new(const struct resource_snapshots_options *options);
void resource_snapshots_free(struct resource_snapshots *pool);
DEFINE_OWNED(resource_snapshots)

/*
 * What the resource is now. It never fails: one that is missing or cannot be read is a snapshot
 * with a fault. Suspends when it has to be fetched.
 */
struct resource_snapshot *resource_snapshots_get(struct resource_snapshots *pool,
                                                 enum resource_kind kind, struct key key);
struct resource_snapshot *resource_snapshot_ref(struct resource_snapshot *snapshot);
void resource_snapshot_free(struct resource_snapshot *snapshot); /* gives one reference back */
DEFINE_OWNED(resource_snapshot)

/*
 * FAULT_NONE, FAULT_MISSING, FAULT_UNREADABLE, FAULT_WRONG_TYPE, or FAULT_NOT_APPLIED for
 * what cannot be used; and the words for it.
 */
enum fault_type resource_snapshot_fault(const struct resource_snapshot *snapshot);
struct str resource_snapshot_text(const struct resource_snapshot *snapshot);

/* NULL unless there is no fault; hash also where the content cannot be used. */
const struct content *resource_snapshot_content(const struct resource_snapshot *snapshot);
struct str resource_snapshot_hash(const struct resource_snapshot *snapshot);

/* They mean the same for clusters: fault and hash agree, whatever else of the resource changed.
 */
bool resource_snapshot_eq(const struct resource_snapshot *a, const struct resource_snapshot *b);

/* Makes the set an owner of the resource, unless it is or there is no resource. Suspends. */
MUST_USE struct error *resource_snapshots_add_owner(struct resource_snapshots *pool,
                                                    enum resource_kind kind, struct key key,
                                                    struct owner_reference owner);

/* Forgets what nobody has asked for since the last time. */
void resource_snapshots_sweep(struct resource_snapshots *pool);

/* Resources that something is known of, and fetches so far; for measurements. */
size_t resource_snapshots_count(const struct resource_snapshots *pool);
size_t resource_snapshots_fetches(const struct resource_snapshots *pool);
