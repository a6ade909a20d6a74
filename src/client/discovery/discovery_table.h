/*
 * Tables and surfaces: the APIs of one group/version and of one server. Private to this folder.
 *
 * A table holds the resources of one group/version. A surface holds the tables of a server in the
 * order of the server's preference: versions of a group stand together, the preferred one first.
 * Both are immutable and reference-counted, and exist once per content in a pool; a change makes a
 * new surface. Contents are compared by SHA-256, because clusters that do not trust each other
 * share tables: a collision that one cluster could construct would change what another one sees.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/owned.h"
#include "base/sha256.h"
#include "base/str.h"

struct discovery_resource {
    struct str resource, singular, kind;
    const struct str *short_names;
    uint16_t short_count;
    uint8_t verbs; /* of enum discovery_verb */
    bool namespaced, has_status, has_scale;
};

enum discovery_state {
    DISCOVERY_LISTED, /* the name is known, the resources were not fetched yet */
    DISCOVERY_STALE,  /* an aggregated server is down, these are its last known resources */
    DISCOVERY_KNOWN,
};

struct discovery_version {
    struct str group, version;
    enum discovery_state state;
    struct discovery_resource *resources; /* in the order of their names, each name once */
    size_t count;
};

struct discovery_pool {
    struct map tables, surfaces; /* by digest */
};

/* The common part of tables and surfaces. */
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

/* The table of this content, made if there is none. Returns a new reference. */
struct discovery_table *discovery_table_of(struct discovery_pool *pool,
                                           const struct discovery_version *version);
struct discovery_table *discovery_table_ref(struct discovery_table *table);
void discovery_table_free(struct discovery_table *table); /* gives one reference back */
DEFINE_OWNED(discovery_table)

/* The same for a surface, which takes its own references to its tables. */
struct discovery_surface *discovery_surface_of(struct discovery_pool *pool,
                                               struct discovery_table *const *tables, size_t count);
void discovery_surface_free(struct discovery_surface *surface);
DEFINE_OWNED(discovery_surface)

/* What a surface keeps. */
struct discovery_room {
    size_t resources;
    size_t names; /* bytes of all names; short names count with their place in a list */
};

struct discovery_room discovery_surface_measure(const struct discovery_surface *surface);

/* The table of a group/version, or NULL. */
struct discovery_table *discovery_surface_find(const struct discovery_surface *surface,
                                               struct str group, struct str version);

/* The first resource of this kind, or NULL. */
const struct discovery_resource *discovery_version_find(const struct discovery_version *version,
                                                        struct str kind);
