/*
 * Names, labels and help texts of series with a cluster are those of Cluster API
 * (docs/clustercache.md, "Numbers"). They are looked up once per accessor and kept, because a probe
 * changes two of them every ten seconds. The lateness of probes is one histogram for all clusters.
 */
#include "clustercache/clustercache_metrics.h"

#include "base/metrics.h"
#include "clustercache/clustercache_internal.h"

enum family {
    CONNECTION_UP,
    HEALTHCHECK,
    HEALTHCHECKS_TOTAL,
    PROBE_LATENESS,
};

static const double lateness_buckets[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                          0.1,   0.25,   0.5,   1,    5};

static const struct metrics_family families[] = {
    [CONNECTION_UP] = METRICS_GAUGE("capi_cluster_cache_connection_up",
                                    "Whether the connection to the cluster is up.", "cluster_name",
                                    "cluster_namespace"),
    [HEALTHCHECK] = METRICS_GAUGE("capi_cluster_cache_healthcheck",
                                  "Result of the last clustercache healthcheck for a cluster.",
                                  "cluster_name", "cluster_namespace"),
    [HEALTHCHECKS_TOTAL] = METRICS_COUNTER("capi_cluster_cache_healthchecks_total",
                                           "Results of all clustercache healthchecks.",
                                           "cluster_name", "cluster_namespace", "status"),
    [PROBE_LATENESS] =
        METRICS_HISTOGRAM("corset_probe_lateness_seconds",
                          "How much later than due the probes of clusters began that answered the "
                          "probe before.",
                          lateness_buckets),
};

#define SUCCESS STR("success")
#define FAILURE STR("error")

void clustercache_metrics_register(struct metrics *metrics)
{
    if (metrics)
        metrics_register(metrics, families, COUNT(families));
}

static struct metrics *metrics_of(const struct accessor *accessor)
{
    /* An operation that outlives its accessor must not bring removed series back. */
    return accessor->is_gone ? NULL : accessor->cache->metrics;
}

static struct metrics_series *gauge(const struct accessor *accessor, enum family family,
                                    struct metrics_series **series)
{
    struct metrics *metrics = metrics_of(accessor);
    if (!*series && metrics)
        *series = metrics_series_ref(METRICS_SERIES(metrics, &families[family], accessor->key.name,
                                                    accessor->key.namespace));
    return *series;
}

static struct metrics_series *counter(const struct accessor *accessor, struct str status,
                                      struct metrics_series **series)
{
    struct metrics *metrics = metrics_of(accessor);
    if (!*series && metrics)
        *series =
            metrics_series_ref(METRICS_SERIES(metrics, &families[HEALTHCHECKS_TOTAL],
                                              accessor->key.name, accessor->key.namespace, status));
    return *series;
}

void clustercache_series_up(struct accessor *accessor, bool is_up)
{
    struct metrics_series *series = gauge(accessor, CONNECTION_UP, &accessor->series.up);
    if (series)
        metrics_set(series, is_up);
}

void clustercache_series_probe_began(const struct accessor *accessor, duration late)
{
    struct metrics *metrics = metrics_of(accessor);
    if (metrics && accessor->health.failures == 0)
        metrics_observe(METRICS_SERIES(metrics, &families[PROBE_LATENESS]),
                        late > 0 ? (double)late / SECOND : 0);
}

void clustercache_series_probed(struct accessor *accessor, bool succeeded)
{
    struct clustercache_series *own = &accessor->series;
    struct metrics_series *healthy = gauge(accessor, HEALTHCHECK, &own->healthy);
    struct metrics_series *count = succeeded ? counter(accessor, SUCCESS, &own->succeeded)
                                             : counter(accessor, FAILURE, &own->failed);
    if (healthy)
        metrics_set(healthy, succeeded);
    if (count)
        metrics_inc(count);
}

/* By labels, not by the kept references: these do not know their family. */
void clustercache_series_remove(struct accessor *accessor)
{
    struct metrics *metrics = accessor->cache->metrics;
    const struct key key = accessor->key;
    if (!metrics)
        return;
    (void)METRICS_REMOVE(metrics, &families[CONNECTION_UP], key.name, key.namespace);
    (void)METRICS_REMOVE(metrics, &families[HEALTHCHECK], key.name, key.namespace);
    (void)METRICS_REMOVE(metrics, &families[HEALTHCHECKS_TOTAL], key.name, key.namespace, SUCCESS);
    (void)METRICS_REMOVE(metrics, &families[HEALTHCHECKS_TOTAL], key.name, key.namespace, FAILURE);
}

static void give_back(struct metrics_series *series)
{
    if (series)
        metrics_series_unref(series);
}

void clustercache_series_done(struct clustercache_series *series)
{
    give_back(series->up);
    give_back(series->healthy);
    give_back(series->succeeded);
    give_back(series->failed);
    *series = (struct clustercache_series){0};
}
