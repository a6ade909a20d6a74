/*
 * One simulated run of the whole program with one set, whose policy deletes: is every deletion
 * explained, and does every one come that should?
 *
 * A run has some rounds. Each of them begins with everything applied everywhere. First comes what
 * holds deletions back: Clusters are paused, cannot be asked, or lose their records; a resource of
 * the set cannot be used. Then comes what deletes: the content loses objects, Clusters lose their
 * label, or the set is deleted, by a person or by clusterctl move. Meanwhile servers misbehave,
 * lists fail, and the process is killed. The model knows from both which objects go. A witness sees
 * every request to delete; in the end, when nothing misbehaves, what is left is compared.
 *
 * In every cluster there is an object whose labels somebody copied from one of the set.
 *
 * All that happens depends on the seed alone.
 */
#pragma once

#include "support/simulation/draw.h"
#include "support/simulation/fronts.h"
#include "support/simulation/life.h"
#include "support/simulation/seeds.h"
#include "support/simulation/trace.h"
#include "testing/sim.h"

#define CLUSTERS 3
#define OBJECTS  4 /* a, b and c of resource cm, d of resource more */
#define SET      "s"
#define COPY     "copy" /* the object whose labels are copied */

/* prune.when of the policy, a bit each. */
enum prune_when { WHEN_REMOVED = 1, WHEN_UNSELECTED = 2, WHEN_DELETED = 4 };

/* What deletes in this round. */
enum trigger {
    REMOVED,    /* the content loses b, and perhaps c */
    UNSELECTED, /* Clusters lose their label */
    DELETED,
    TRIGGERS,
};

/* What becomes of the resource that keeps its object. */
enum breakage { WHOLE, MISSING, UNPARSABLE, EMPTY, BREAKAGES };

/* One Cluster in this round. */
struct fate {
    bool is_paused;
    bool is_unasked;      /* refuses everybody */
    bool loses_record;    /* at the same moment as the trigger comes */
    bool loses_label;     /* of UNSELECTED */
    bool had_lost_record; /* before: it is made anew */
};

struct round {
    enum trigger trigger;
    enum breakage breakage;
    struct fate fates[CLUSTERS];
    bool drops_c;    /* of REMOVED: with b */
    bool is_moved;   /* of DELETED: clusterctl does it */
    bool is_limited; /* maxClusters is one */
};

struct prune_run {
    const struct seeds_options *options;
    struct seeds_result *result;
    struct random dice;
    struct trace trace;
    struct fronts fronts;
    struct life life;
    bool cuts;
    unsigned when; /* bits of enum prune_when */
    unsigned stamp;
    struct round round;
    bool is_released; /* what was held may go on */
    bool is_going;    /* the trigger has come */
};

/* model.c: whether the rules let an object be deleted; whether it has to be gone in the end. */
bool model_allows(const struct prune_run *run, size_t cluster, size_t object);
bool model_demands(const struct prune_run *run, size_t cluster, size_t object);

/* rounds.c: a whole round, from everything applied to everything applied. Suspends. */
void rounds_prepare(struct prune_run *run);
void rounds_play(struct prune_run *run);
