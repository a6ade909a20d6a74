/*
 * The conditions of a ClusterResourceSet: what its status says about all of its clusters.
 *
 * Pure. A reconcile sums up its placements and resources in a conditions_summary. conditions_make()
 * turns that into ResourcesApplied (in both forms), InProgress and Failed. The gravest problem
 * decides the reason; the message lists the first few problems with cluster, resource and cause.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "base/str.h"
#include "clusterresourceset/fault.h"

/* A fault, and the cluster it happened on. Texts may be empty. */
struct conditions_problem {
    enum fault_type type;
    struct str cluster;              /* empty: the fault is the same on all clusters */
    struct str resource, name, text; /* see struct fault */
};

struct conditions_summary {
    size_t clusters;    /* that the set selects */
    size_t pending;     /* those of them that are not done */
    size_t failed;      /* those of them that have a fault, other than being paused or waiting */
    size_t waiting;     /* those of them that wait for other sets, or for their wave */
    struct str rollout; /* "wave canary (Soaking)"; empty: there is none, or it is over */
    bool was_false;     /* ResourcesApplied is False now: its message may no longer hold */
    const struct conditions_problem *problems;
    size_t count;
};

/* The reason while nothing is wrong but that changes wait for paused Clusters. */
#define CONDITIONS_CLUSTER_PAUSED "ClusterPaused"

/* How the message begins while nothing is wrong but that clusters wait for their wave. */
#define CONDITIONS_ROLLING_OUT "rolling out"

/* Bytes of a message: clients show it in a column or a line. */
#define CONDITIONS_MESSAGE_MAX 2048

struct conditions {
    bool says_applied;        /* false: ResourcesApplied is left as it is */
    struct condition applied; /* ResourcesApplied of v1beta2 */
    struct condition v1beta1; /* ResourcesApplied of v1beta1 */
    struct condition progress, failed;
    bool is_connecting; /* ResourcesApplied is False only because connections are being made */
    bool is_waiting;    /* ResourcesApplied is False only because other sets come first */
    bool is_rolling;    /* the same, because a rollout is under way */
    bool is_success;    /* no error and nothing pending: the generation has been observed */
};

/* Texts are copied into the arena: the placements may change while the status is written. */
struct conditions conditions_make(const struct conditions_summary *summary, int64_t generation,
                                  struct arena *arena);

/* InProgress=True: work on a new generation has begun. */
struct condition conditions_new_generation(int64_t generation);

/* waiting: of so many clusters those that lack something. The text is in the arena. */
struct condition conditions_paused(size_t waiting, size_t clusters, int64_t generation,
                                   struct arena *arena);
struct condition conditions_not_paused(int64_t generation);
