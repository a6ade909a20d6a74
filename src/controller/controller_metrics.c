/*
 * Names, labels and buckets are those of controller-runtime's internal/controller/metrics, so that
 * dashboards and alerts for it work. There are no panics in C; the counter is always 0.
 */
#include "controller/controller_metrics.h"

#include "base/metrics.h"

static const double seconds_buckets[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3,  0.35,
                                         0.4,   0.45, 0.5,   0.6,  0.7, 0.8,  0.9, 1,    1.25, 1.5,
                                         1.75,  2,    2.5,   3,    3.5, 4,    4.5, 5,    6,    7,
                                         8,     9,    10,    15,   20,  25,   30,  40,   50,   60};

enum { TOTAL, ERRORS, TERMINAL_ERRORS, PANICS, TIMEOUTS, SECONDS, WORKERS, ACTIVE };

static const struct metrics_family families[] = {
    [TOTAL] =
        METRICS_COUNTER("controller_runtime_reconcile_total",
                        "Total number of reconciliations per controller.", "controller", "result"),
    [ERRORS] =
        METRICS_COUNTER("controller_runtime_reconcile_errors_total",
                        "Total number of reconciliation errors per controller.", "controller"),
    [TERMINAL_ERRORS] = METRICS_COUNTER(
        "controller_runtime_terminal_reconcile_errors_total",
        "Total number of terminal reconciliation errors per controller.", "controller"),
    [PANICS] =
        METRICS_COUNTER("controller_runtime_reconcile_panics_total",
                        "Total number of reconciliation panics per controller.", "controller"),
    [TIMEOUTS] =
        METRICS_COUNTER("controller_runtime_reconcile_timeouts_total",
                        "Total number of reconciliation timeouts per controller.", "controller"),
    [SECONDS] = METRICS_HISTOGRAM("controller_runtime_reconcile_time_seconds",
                                  "Length of time per reconciliation per controller.",
                                  seconds_buckets, "controller"),
    [WORKERS] =
        METRICS_GAUGE("controller_runtime_max_concurrent_reconciles",
                      "Maximum number of concurrent reconciles per controller.", "controller"),
    [ACTIVE] = METRICS_GAUGE("controller_runtime_active_workers",
                             "Number of currently used workers per controller.", "controller"),
};

static const struct str outcomes[] = {
    [CONTROLLER_SUCCESS] = STR_INIT("success"),
    [CONTROLLER_ERROR] = STR_INIT("error"),
    [CONTROLLER_REQUEUE] = STR_INIT("requeue"),
    [CONTROLLER_REQUEUE_AFTER] = STR_INIT("requeue_after"),
};

/* All series exist from the start, as in controller-runtime: a rate() needs the first 0. */
void controller_metrics_init(struct controller_metrics *metrics, struct metrics *registry,
                             struct str name)
{
    *metrics = (struct controller_metrics){0};
    if (!registry)
        registry = metrics->own = metrics_new();
    metrics_register(registry, families, COUNT(families));
    for (size_t i = 0; i < COUNT(outcomes); i++)
        metrics->total[i] =
            metrics_series_ref(METRICS_SERIES(registry, &families[TOTAL], name, outcomes[i]));
    struct metrics_series **const by_name[] = {
        [ERRORS] = &metrics->errors,   [TERMINAL_ERRORS] = &metrics->terminal_errors,
        [PANICS] = &metrics->panics,   [TIMEOUTS] = &metrics->timeouts,
        [SECONDS] = &metrics->seconds, [WORKERS] = &metrics->workers,
        [ACTIVE] = &metrics->active};
    for (size_t i = ERRORS; i < COUNT(by_name); i++)
        *by_name[i] = metrics_series_ref(METRICS_SERIES(registry, &families[i], name));
}

void controller_metrics_done(struct controller_metrics *metrics)
{
    for (size_t i = 0; i < COUNT(metrics->total); i++)
        metrics_series_unref(metrics->total[i]);
    metrics_series_unref(metrics->errors);
    metrics_series_unref(metrics->terminal_errors);
    metrics_series_unref(metrics->panics);
    metrics_series_unref(metrics->timeouts);
    metrics_series_unref(metrics->seconds);
    metrics_series_unref(metrics->workers);
    metrics_series_unref(metrics->active);
    metrics_free(metrics->own);
}
