/*
 * The cluster_index: of every Cluster what decides whether a set selects it, ready without parsing.
 *
 * It follows a cache of Clusters; whoever is told of an event by the cache later finds it current.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/selector.h"
#include "base/owned.h"

struct cache;
struct cluster_index;

/* needs_control_plane: clusters whose control plane is not initialized are never selected. */
struct cluster_index *cluster_index_new(struct cache *clusters, bool needs_control_plane);
void cluster_index_free(struct cluster_index *cluster_index);
DEFINE_OWNED(cluster_index)

/* Calls each with the name of every cluster of the namespace that is selected. */
typedef void cluster_index_visit_fn(void *data, struct str name);
void cluster_index_each(const struct cluster_index *cluster_index, struct str namespace,
                        const struct selector *selector, cluster_index_visit_fn *each, void *data);

/* Whether the cluster is there, stays, and is selected. */
bool cluster_index_selects(const struct cluster_index *cluster_index, struct key cluster,
                           const struct selector *selector);
