/* The condition Pruned of a set whose policy prunes: whether objects are left to delete. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "clusterresourceset/condition_clusters.h"

#define PRUNE_CONDITION "Pruned"

/* Ranks of struct condition_cluster. */
enum prune_condition_rank {
    PRUNE_CONDITION_PRUNING,
    PRUNE_CONDITION_FAILED,
    PRUNE_CONDITION_HELD,
};

struct prune_condition {
    struct condition_cluster *clusters; /* with something left to delete; sorted here */
    size_t count;
    size_t kept;     /* objects that are left and never deleted */
    struct str held; /* why clusters do not lose the set; empty: that is not held */
    int64_t generation;
};

/* Texts are in the arena. */
struct condition prune_condition_make(const struct prune_condition *prune, struct arena *arena);
