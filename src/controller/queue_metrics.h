/*
 * The workqueue_* metrics, with the names and labels of controller-runtime.
 */
#pragma once

#include <stddef.h>

#include "base/duration.h"
#include "base/str.h"

struct metrics;
struct metrics_series;

/* The number of ready keys of one priority. */
struct queue_depth {
    int priority;
    struct metrics_series *series;
};

struct queue_metrics {
    struct metrics *metrics;
    struct metrics *own; /* a private registry if none was given; NULL otherwise */
    char *name;
    struct queue_depth *depths; /* one for each priority that was used */
    size_t depth_count;
    struct metrics_series *adds, *retries, *queue_duration, *work_duration, *unfinished, *longest;
};

void queue_metrics_init(struct queue_metrics *metrics, struct metrics *registry, struct str name);
void queue_metrics_done(struct queue_metrics *metrics);

/* The series of a priority, made on first use. */
struct metrics_series *queue_metrics_depth(struct queue_metrics *metrics, int priority);
