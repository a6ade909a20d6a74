#include "clusterresourceset/drift_metrics.h"

#include "async/loop.h"
#include "base/metrics.h"
#include "clusterresourceset/contest.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_watch.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/set.h"

enum { DETECTED, REPAIRED, CONTESTED, CHECK_AGE, WATCHES };

static const struct metrics_family families[] = {
    [DETECTED] = METRICS_COUNTER("corset_drift_detected_total",
                                 "Objects that were found to have drifted.", "kind"),
    [REPAIRED] = METRICS_COUNTER("corset_drift_repaired_total",
                                 "Objects that had drifted and were put back.", "kind"),
    [CONTESTED] = METRICS_GAUGE(
        "corset_contested_objects",
        "Objects that are left alone because somebody changes them after repairs.", NULL),
    [CHECK_AGE] =
        METRICS_GAUGE("corset_drift_check_seconds",
                      "Time since the oldest check of a set on a cluster for drift.", NULL),
    [WATCHES] = METRICS_GAUGE("corset_drift_watches",
                              "Watches that are open, of clusters and kinds.", NULL),
};

static void count_object(struct crs_controllers *controllers, int family, struct str kind)
{
    struct str group;
    if (!controllers->options.metrics)
        return;
    str_cut(&kind, '/', &group);
    metrics_inc(METRICS_SERIES(controllers->options.metrics, &families[family], kind));
}

void drift_metrics_note_detected(struct crs_controllers *controllers, struct str kind)
{
    count_object(controllers, DETECTED, kind);
}

void drift_metrics_note_repaired(struct crs_controllers *controllers, struct str kind)
{
    count_object(controllers, REPAIRED, kind);
}

/* What has not been checked yet is as old as its placement is known. */
static void count_placement(const struct placement_drift *drift, int64_t now, size_t *contested,
                            int64_t *oldest)
{
    MAP_FOREACH (entry, &drift->contests) {
        const struct contest *contest = entry->value;
        *contested += contest->until > now;
    }
    if (drift->is_followed && drift->checked_at < *oldest)
        *oldest = drift->checked_at;
}

static void collect_drift(void *data)
{
    struct crs_controllers *controllers = data;
    struct metrics *metrics = controllers->options.metrics;
    const int64_t now = loop_now(controllers->loop);
    int64_t oldest = now;
    size_t contested = 0;
    MAP_FOREACH (entry, &controllers->sets_by_key)
        MAP_FOREACH (placement, set_placements(entry->value))
            if (placement_has_drift(placement->value))
                count_placement(placement_drift(placement->value), now, &contested, &oldest);
    metrics_set(metrics_series(metrics, &families[CONTESTED], NULL, 0), (double)contested);
    metrics_set(metrics_series(metrics, &families[CHECK_AGE], NULL, 0),
                (double)(now - oldest) / (double)SECOND);
    metrics_set(metrics_series(metrics, &families[WATCHES], NULL, 0),
                (double)drift_watch_count_open(controllers));
}

void drift_metrics_add(struct crs_controllers *controllers)
{
    struct metrics *metrics = controllers->options.metrics;
    if (!metrics)
        return;
    metrics_register(metrics, families, COUNT(families));
    controllers->drift_collector =
        (struct metrics_collector){.collect = collect_drift, .data = controllers};
    metrics_add_collector(metrics, &controllers->drift_collector);
}

void drift_metrics_remove(struct crs_controllers *controllers)
{
    metrics_remove_collector(&controllers->drift_collector);
}
