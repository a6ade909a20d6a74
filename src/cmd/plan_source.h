/*
 * What corset plan starts from: sets, their resources, the Clusters they select and the bindings of
 * those, read from the management cluster. ConfigMaps, Secrets and DeliveryPolicies from files take
 * the place of those of the same kind and name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/selector.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "clusterresourceset/preview/preview_fleet.h"
#include "clusterresourceset/types/content_items.h"

struct client;
struct policy_schema;

struct plan_source {
    /* Set by the caller. */
    struct str namespace, set; /* set may be empty: all of the namespace */
    struct str selector;       /* labels of Clusters, as text; empty: all */
    struct str cluster;        /* this one alone; empty: all that are selected */
    size_t sample;             /* so many Clusters at most; 0: all */

    struct content_items files, policies; /* see plan_source_add_file() */
    struct preview_set *sets;
    size_t set_count, set_capacity;
    struct preview_fleet_cluster *clusters; /* that are to be asked */
    size_t cluster_count, cluster_capacity;
    size_t left_out;  /* Clusters beyond the sample */
    struct buf notes; /* lines for standard error */

    struct map snapshots;         /* "ConfigMap/name" -> struct resource_snapshot */
    struct map named;             /* names of policies that sets name */
    struct policy_schema *schema; /* NULL until a policy is read */
    struct arena arena;           /* of names and problems */
};

void plan_source_done(struct plan_source *source);

/*
 * Adds the resources and policies of a file, a folder or standard input. Nothing is quoted of what
 * cannot be read, since it may be a Secret.
 */
MUST_USE struct error *plan_source_add_file(struct plan_source *source, const char *name);

/* Suspends. */
MUST_USE struct error *plan_source_read(struct plan_source *source, struct client *client);
