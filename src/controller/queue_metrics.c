/*
 * Names, labels and buckets are those of controller-runtime's priority queue. "name"
 * and "controller" have the same value.
 */
#include "controller/queue_metrics.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/metrics.h"
#include "controller/queue.h"

static const double seconds_buckets[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                         1e-2, 0.1,  1,    10,   100,  1000};

enum { DEPTH, ADDS, RETRIES, QUEUE_DURATION, WORK_DURATION, UNFINISHED, LONGEST };

static const struct metrics_family families[] = {
    [DEPTH] =
        METRICS_GAUGE("workqueue_depth", "Current depth of workqueue by workqueue and priority.",
                      "name", "controller", "priority"),
    [ADDS] = METRICS_COUNTER("workqueue_adds_total", "Total number of adds handled by workqueue.",
                             "name", "controller"),
    [RETRIES] =
        METRICS_COUNTER("workqueue_retries_total", "Total number of retries handled by workqueue.",
                        "name", "controller"),
    [QUEUE_DURATION] =
        METRICS_HISTOGRAM("workqueue_queue_duration_seconds",
                          "How long in seconds an item stays in workqueue before being requested.",
                          seconds_buckets, "name", "controller"),
    [WORK_DURATION] =
        METRICS_HISTOGRAM("workqueue_work_duration_seconds",
                          "How long in seconds processing an item from workqueue takes.",
                          seconds_buckets, "name", "controller"),
    [UNFINISHED] = METRICS_GAUGE("workqueue_unfinished_work_seconds",
                                 "Seconds of work in progress that work_duration has not seen yet.",
                                 "name", "controller"),
    [LONGEST] = METRICS_GAUGE("workqueue_longest_running_processor_seconds",
                              "How many seconds the longest running processor has been running.",
                              "name", "controller"),
};

static struct metrics_series *new_series(struct queue_metrics *metrics, int family)
{
    const struct str name = str_from_c(metrics->name);
    return metrics_series_ref(METRICS_SERIES(metrics->metrics, &families[family], name, name));
}

void queue_metrics_init(struct queue_metrics *metrics, struct metrics *registry, struct str name)
{
    *metrics = (struct queue_metrics){.metrics = registry, .name = mem_dup(name.ptr, name.len)};
    if (!registry)
        metrics->metrics = metrics->own = metrics_new();
    metrics_register(metrics->metrics, families, COUNT(families));
    metrics->adds = new_series(metrics, ADDS);
    metrics->retries = new_series(metrics, RETRIES);
    metrics->queue_duration = new_series(metrics, QUEUE_DURATION);
    metrics->work_duration = new_series(metrics, WORK_DURATION);
    metrics->unfinished = new_series(metrics, UNFINISHED);
    metrics->longest = new_series(metrics, LONGEST);
    (void)queue_metrics_depth(metrics, QUEUE_NORMAL);
    (void)queue_metrics_depth(metrics, QUEUE_LOW);
}

/* Depths are set to 0, because the registry may outlive the queue and its keys are gone. */
void queue_metrics_done(struct queue_metrics *metrics)
{
    struct metrics_series *const all[] = {metrics->adds,           metrics->retries,
                                          metrics->queue_duration, metrics->work_duration,
                                          metrics->unfinished,     metrics->longest};
    for (size_t i = 0; i < COUNT(all); i++)
        metrics_series_unref(all[i]);
    for (size_t i = 0; i < metrics->depth_count; i++) {
        metrics_set(metrics->depths[i].series, 0);
        metrics_series_unref(metrics->depths[i].series);
    }
    mem_free(metrics->depths);
    mem_free(metrics->name);
    metrics_free(metrics->own);
}

/* Priorities are few, so a linear search is enough. */
struct metrics_series *queue_metrics_depth(struct queue_metrics *metrics, int priority)
{
    for (size_t i = 0; i < metrics->depth_count; i++)
        if (metrics->depths[i].priority == priority)
            return metrics->depths[i].series;
    char digits[16];
    const int len = snprintf(digits, sizeof(digits), "%d", priority);
    const struct str name = str_from_c(metrics->name);
    metrics->depths =
        mem_realloc_array(metrics->depths, metrics->depth_count + 1, sizeof(*metrics->depths));
    struct queue_depth *depth = &metrics->depths[metrics->depth_count++];
    depth->priority = priority;
    depth->series = metrics_series_ref(METRICS_SERIES(metrics->metrics, &families[DEPTH], name,
                                                      name, str_from(digits, (size_t)len)));
    return depth->series;
}
