/*
 * The condition DriftFree of a set whose policy minds drift: is everything on all of its clusters
 * as it was applied? Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "base/str.h"
#include "clusterresourceset/condition_clusters.h"

#define DRIFT_CONDITION "DriftFree"

/*
 * Sorts the clusters that have drifted or could not be checked; the rank of each is its enum
 * delivery_drift. The condition is Unknown if none has drifted as far as it is known, and some
 * could not be checked. Texts are in the arena.
 */
struct condition drift_condition_make(struct condition_cluster *told, size_t count, size_t clusters,
                                      int64_t generation, struct arena *arena);
