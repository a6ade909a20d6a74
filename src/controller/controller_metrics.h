/*
 * The controller_runtime_* metrics, with the names and labels controller-runtime gives them.
 */
#pragma once

#include "base/str.h"

struct metrics;
struct metrics_series;

/* What a reconcile is counted as. */
enum controller_outcome {
    CONTROLLER_SUCCESS,
    CONTROLLER_ERROR,
    CONTROLLER_REQUEUE,
    CONTROLLER_REQUEUE_AFTER,
    CONTROLLER_OUTCOMES,
};

struct controller_metrics {
    struct metrics *own; /* the registry when none was given: nobody sees it */
    struct metrics_series *total[CONTROLLER_OUTCOMES];
    struct metrics_series *errors, *terminal_errors, *panics, *timeouts;
    struct metrics_series *seconds, *workers, *active;
};

/* Everything shows from now on, at 0. */
void controller_metrics_init(struct controller_metrics *metrics, struct metrics *registry,
                             struct str name);
void controller_metrics_done(struct controller_metrics *metrics);
