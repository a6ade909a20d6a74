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

/* Sorts the clusters that have drifted; the rank of each is its enum delivery_drift. Texts are in
 * the arena. */
struct condition drift_condition_make(struct condition_cluster *drifted, size_t count,
                                      size_t clusters, int64_t generation, struct arena *arena);
