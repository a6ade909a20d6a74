/*
 * The cluster index: of every Cluster the labels, whether it can be selected, whether it is paused
 * and whether it is in doubt, without parsing.
 *
 * The index follows a cache of Clusters. Its handler is added before those of the controllers, so
 * that the index is current when an event is mapped to sets.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/selector.h"
#include "base/owned.h"

struct cache;
struct cluster_index;

/* needs_control_plane: a Cluster is not selected before its control plane is initialized. */
struct cluster_index *cluster_index_new(struct cache *clusters, bool needs_control_plane);
void cluster_index_free(struct cluster_index *cluster_index);
DEFINE_OWNED(cluster_index)

/* Calls each() with the name of every cluster of the namespace that the selector selects. */
typedef void cluster_index_visit_fn(void *data, struct str name);
void cluster_index_each(const struct cluster_index *cluster_index, struct str namespace,
                        const struct selector *selector, cluster_index_visit_fn *each, void *data);

/* True if the cluster exists, is not being deleted, and is selected. */
bool cluster_index_selects(const struct cluster_index *cluster_index, struct key cluster,
                           const struct selector *selector);

/* The labels of the cluster; NULL if it has none or does not exist. Valid until its next event. */
const struct json_value *cluster_index_labels(const struct cluster_index *cluster_index,
                                              struct key cluster);

/* What the last attempt to apply something there says of the cluster; see cluster_doubt.h. */
void cluster_index_set_doubt(struct cluster_index *cluster_index, struct key cluster,
                             bool is_in_doubt);
bool cluster_index_is_in_doubt(const struct cluster_index *cluster_index, struct key cluster);

/* True if the cluster exists and has spec.paused. */
bool cluster_index_is_paused(const struct cluster_index *cluster_index, struct key cluster);
