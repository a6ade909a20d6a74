/*
 * The census: of every Cluster what decides whether a set selects it, ready without parsing.
 *
 * It follows a cache of Clusters; whoever is told of an event by the cache later finds it current.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/selector.h"
#include "base/owned.h"

struct cache;
struct census;

/* needs_control_plane: clusters whose control plane is not initialized are never selected. */
struct census *census_new(struct cache *clusters, bool needs_control_plane);
void census_free(struct census *census);
DEFINE_OWNED(census)

/* Calls each with the name of every cluster of the namespace that is selected. */
typedef void census_visit_fn(void *data, struct str name);
void census_each(const struct census *census, struct str namespace, const struct selector *selector,
                 census_visit_fn *each, void *data);

/* Whether the cluster is there, stays, and is selected. */
bool census_selects(const struct census *census, struct key cluster,
                    const struct selector *selector);
