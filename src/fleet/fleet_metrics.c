#include "fleet/fleet_metrics.h"

#include "base/metrics.h"
#include "fleet/fleet_list.h"

static const double buckets[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                 1,     2.5,  5,     10,   30,  60,   300};

static const struct metrics_family families[] = {
    METRICS_COUNTER("corset_fleet_requests_total",
                    "Requests to one cluster or to all of them, by status.", "kind", "code"),
    METRICS_HISTOGRAM("corset_fleet_seconds", "How long requests took, watches included.", buckets,
                      "kind"),
    METRICS_COUNTER("corset_fleet_clusters_failed_total",
                    "Clusters that did not answer a question to all of them.", "reason"),
    METRICS_COUNTER("corset_fleet_bytes_total", "Bytes of bodies that were sent to callers."),
};

void fleet_metrics_register(struct metrics *metrics)
{
    if (metrics)
        metrics_register(metrics, families, COUNT(families));
}

void fleet_metrics_count(struct metrics *metrics, struct str kind, int status, duration took,
                         size_t bytes)
{
    char digits[STR_NUMBER_MAX];
    if (!metrics)
        return;
    const struct str code = str_number((uint64_t)status, digits);
    metrics_inc(METRICS_SERIES(metrics, &families[0], kind, status ? code : STR("<error>")));
    metrics_observe(METRICS_SERIES(metrics, &families[1], kind), (double)took / (double)SECOND);
    metrics_add(metrics_series(metrics, &families[3], NULL, 0), (double)bytes);
}

void fleet_metrics_count_clusters(struct metrics *metrics, const struct fleet_outcome *outcome)
{
    if (!metrics)
        return;
    metrics_add(METRICS_SERIES(metrics, &families[2], STR("failed")), (double)outcome->failed);
    metrics_add(METRICS_SERIES(metrics, &families[2], STR("forbidden")),
                (double)outcome->forbidden);
}
