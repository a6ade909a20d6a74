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
#include "clusterresourceset/types/delivery.h"

#define DRIFT_CONDITION "DriftFree"

/* A cluster where something has drifted. */
struct drift_condition_cluster {
    struct str name, text;
    enum delivery_drift drift;
};

/* Sorts the clusters that have drifted. Texts are in the arena. */
struct condition drift_condition_make(struct drift_condition_cluster *drifted, size_t count,
                                      size_t clusters, int64_t generation, struct arena *arena);
