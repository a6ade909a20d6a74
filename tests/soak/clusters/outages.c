/*
 * A run of outages. Every cluster has a fiber that draws an outage, lets it last, and ends it. The
 * main fiber checks every second. At the end all servers are well, everything must be connected
 * again, and the counts must add up.
 */
#include "async/fiber.h"
#include "soak/clusters/chaos.h"

#define TROUBLE    (30 * MINUTE)
#define LOOK_EVERY SECOND

/* Long enough for a reconnect, and for idle connections to be closed. */
#define SETTLES (150 * SECOND)

/* Every other outage is a killed server; the others are drawn evenly. */
static enum outage draw_outage(struct random *dice)
{
    if (random_below(dice, 2))
        return OUTAGE_KILLED;
    return (enum outage)(OUTAGE_BLACK_HOLE + random_below(dice, OUTAGE_COUNT - OUTAGE_BLACK_HOLE));
}

static struct error *have_outages(void *data)
{
    struct workload_cluster *cluster = data;
    struct random *dice = &cluster->dice;
    for (;;) {
        TRY(fiber_sleep(chaos_span(dice, 0, 2 * MINUTE)));
        workload_cluster_turn(cluster, draw_outage(dice));
        TRY(fiber_sleep(chaos_span(dice, 100 * MILLISECOND, 150 * SECOND)));
        workload_cluster_turn(cluster, OUTAGE_NONE);
        workload_cluster_change_node(cluster);
    }
}

/* Checks every second for so long. */
static void check_for(struct chaos *chaos, duration span)
{
    const int64_t end = loop_now(loop_current()) + span;
    while (loop_now(loop_current()) < end) {
        CHECK_OK(fiber_sleep(LOOK_EVERY));
        chaos_check_moment(chaos);
    }
}

void chaos_outages(struct chaos *chaos)
{
    check_for(chaos, SETTLES);
    chaos_check_settled(chaos);
    const struct chaos_footprint before = chaos_footprint(chaos);
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < chaos->options.clusters; i++)
            scope_start(&scope, "outages", have_outages, &chaos->workload_clusters[i]);
        check_for(chaos, TROUBLE);
    }
    for (size_t i = 0; i < chaos->options.clusters; i++) {
        if (chaos->workload_clusters[i].outage != OUTAGE_NONE)
            workload_cluster_turn(&chaos->workload_clusters[i], OUTAGE_NONE);
        workload_cluster_change_node(&chaos->workload_clusters[i]);
    }
    check_for(chaos, SETTLES);
    chaos_check_settled(chaos);
    chaos_check_counts(chaos);
    chaos_check_footprint(chaos, before);
}
