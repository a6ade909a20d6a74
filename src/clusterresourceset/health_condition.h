/*
 * The condition Ready of a set whose policy has health: is everything on all of its clusters
 * applied and ready? Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "clusterresourceset/condition_clusters.h"

#define HEALTH_CONDITION "Ready"

/* Ranks of clusters that are not ready. */
enum health_condition_rank {
    HEALTH_CONDITION_UNAPPLIED, /* not everything is applied there */
    HEALTH_CONDITION_SETTLING,
    HEALTH_CONDITION_FAILED, /* not ready in time */
};

/* Sorts the clusters that are not ready. Texts are in the arena. */
struct condition health_condition_make(struct condition_cluster *unready, size_t count,
                                       size_t clusters, int64_t generation, struct arena *arena);
