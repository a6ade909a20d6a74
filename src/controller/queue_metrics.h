/*
 * The workqueue_* metrics, with the names and labels controller-runtime gives them.
 */
#pragma once

#include <stddef.h>

#include "base/duration.h"
#include "base/str.h"

struct metrics;
struct metrics_series;

/* How many are ready with one priority. */
struct queue_depth {
    int priority;
    struct metrics_series *series;
};

struct queue_metrics {
    struct metrics *metrics;
    struct metrics *own; /* the registry when none was given: nobody sees it */
    char *name;
    struct queue_depth *depths; /* a handful */
    size_t depth_count;
    struct metrics_series *adds, *retries, *queue_duration, *work_duration, *unfinished, *longest;
};

void queue_metrics_init(struct queue_metrics *metrics, struct metrics *registry, struct str name);
void queue_metrics_done(struct queue_metrics *metrics);

struct metrics_series *queue_metrics_depth(struct queue_metrics *metrics, int priority);
