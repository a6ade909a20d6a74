/*
 * The controller_runtime_* metrics, with the names and labels of controller-runtime.
 */
#pragma once

#include "base/str.h"

struct metrics;
struct metrics_series;

/* The label "result" of controller_runtime_reconcile_total. */
enum controller_outcome {
    CONTROLLER_SUCCESS,
    CONTROLLER_ERROR,
    CONTROLLER_REQUEUE,
    CONTROLLER_REQUEUE_AFTER,
    CONTROLLER_OUTCOMES,
};

struct controller_metrics {
    struct metrics *own; /* a private registry if none was given; NULL otherwise */
    struct metrics_series *total[CONTROLLER_OUTCOMES];
    struct metrics_series *errors, *terminal_errors, *panics, *timeouts;
    struct metrics_series *seconds, *workers, *active;
};

/* Makes all series, with the value 0. */
void controller_metrics_init(struct controller_metrics *metrics, struct metrics *registry,
                             struct str name);
void controller_metrics_done(struct controller_metrics *metrics);
