/*
 * Supplies: what the ConfigMaps and Secrets that sets name hold, read once for all clusters.
 *
 * A cache of metadata says which version is current; only a version that is not known yet is
 * fetched, once, however many sets name the resource. A supply is what one version was found to be;
 * it does not change.
 */
#pragma once

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/owned.h"
#include "clusterresourceset/report.h"
#include "clusterresourceset/types/content.h"
#include "clusterresourceset/types/resource_set.h"

struct cache;
struct client;
struct supply;
struct supply_pool;

struct supply_options {
    struct client *client;
    struct cache *config_maps, *secrets; /* metadata of all that may be named */
};

struct supply_pool *supply_pool_new(const struct supply_options *options);
void supply_pool_free(struct supply_pool *pool);
DEFINE_OWNED(supply_pool)

/*
 * What the resource is now. It never fails: one that is missing or cannot be read is a supply with
 * a trouble. Suspends when it has to be fetched.
 */
struct supply *supply_get(struct supply_pool *pool, enum resource_kind kind, struct key key);
struct supply *supply_ref(struct supply *supply);
void supply_free(struct supply *supply); /* gives one reference back */
DEFINE_OWNED(supply)

/*
 * TROUBLE_NONE, TROUBLE_MISSING, TROUBLE_UNREADABLE, TROUBLE_WRONG_TYPE, or TROUBLE_NOT_APPLIED for
 * what cannot be used; and the words for it.
 */
enum trouble supply_trouble(const struct supply *supply);
struct str supply_text(const struct supply *supply);

/* NULL unless there is no trouble; hash also where the content cannot be used. */
const struct content *supply_content(const struct supply *supply);
struct str supply_hash(const struct supply *supply);

/* They mean the same for clusters: trouble and hash agree, whatever else of the resource changed.
 */
bool supply_eq(const struct supply *a, const struct supply *b);

/* Makes the set an owner of the resource, unless it is or there is no resource. Suspends. */
MUST_USE struct error *supply_own(struct supply_pool *pool, enum resource_kind kind, struct key key,
                                  struct owner_reference owner);

/* Forgets what nobody has asked for since the last time. */
void supply_pool_sweep(struct supply_pool *pool);

/* Resources that something is known of, and fetches so far; for measurements. */
size_t supply_pool_count(const struct supply_pool *pool);
size_t supply_pool_fetches(const struct supply_pool *pool);
