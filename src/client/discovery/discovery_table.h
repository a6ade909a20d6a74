/*
 * What is known about one group/version, and about all of a server. Private to this folder.
 *
 * A table holds the resources of one group/version, a surface the tables of a server in the order
 * in which it prefers them: those of a group stand together, the preferred version first. Both are
 * immutable, counted, and exist once per content in a pool: a change is another surface. Contents
 * are told apart by SHA-256, since what is equal between clusters decides who reads whose table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/owned.h"
#include "base/sha256.h"
#include "base/str.h"

struct discovery_pool;

struct discovery_resource {
    struct str resource, singular, kind;
    const struct str *short_names;
    uint16_t short_count;
    uint8_t verbs; /* of enum discovery_verb */
    bool namespaced, has_status, has_scale;
};

enum discovery_state {
    DISCOVERY_LISTED, /* exists; its resources were not asked for yet */
    DISCOVERY_STALE,  /* as it was when its server was last heard of */
    DISCOVERY_KNOWN,
};

struct discovery_version {
    struct str group, version;
    enum discovery_state state;
    struct discovery_resource *resources; /* in the order of their names, each name once */
    size_t count;
};

/* What is in the pool once per content. */
struct discovery_interned {
    struct map *home; /* NULL once the pool is gone */
    size_t refs;
    uint8_t digest[SHA256_LEN];
};

struct discovery_table {
    struct discovery_interned interned;
    struct discovery_version is;
};

struct discovery_surface {
    struct discovery_interned interned;
    size_t count;
    struct discovery_table *tables[];
};

/* The table of this content; a reference for the caller. */
struct discovery_table *discovery_table_of(struct discovery_pool *pool,
                                           const struct discovery_version *version);
struct discovery_table *discovery_table_ref(struct discovery_table *table);
void discovery_table_free(struct discovery_table *table); /* gives one reference back */
DEFINE_OWNED(discovery_table)

/* The same for a surface; it takes references to its tables. */
struct discovery_surface *discovery_surface_of(struct discovery_pool *pool,
                                               struct discovery_table *const *tables, size_t count);
struct discovery_surface *discovery_surface_ref(struct discovery_surface *surface);
void discovery_surface_free(struct discovery_surface *surface);
DEFINE_OWNED(discovery_surface)

/* The table of a group/version, or NULL. */
struct discovery_table *discovery_surface_find(const struct discovery_surface *surface,
                                               struct str group, struct str version);

/* By which text a resource is looked for. */
enum discovery_match {
    DISCOVERY_BY_KIND,
    DISCOVERY_BY_RESOURCE,
    DISCOVERY_BY_NAME, /* plural or singular */
    DISCOVERY_BY_SHORT_NAME,
};

/* The first resource that matches, or NULL. */
const struct discovery_resource *discovery_version_find(const struct discovery_version *version,
                                                        enum discovery_match by, struct str text);
