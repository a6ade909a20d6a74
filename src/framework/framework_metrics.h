/* Counters of the framework, by kind: applies, and nodes that were not ready. */
#pragma once

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct framework_metrics;
struct metrics;

/* NULL metrics: nothing is counted. */
struct framework_metrics *framework_metrics_new(struct metrics *metrics, struct str controller);
void framework_metrics_free(struct framework_metrics *metrics);
DEFINE_OWNED(framework_metrics)

void framework_metrics_applied(struct framework_metrics *metrics, struct str kind,
                               const struct error *err);
void framework_metrics_not_ready(struct framework_metrics *metrics, struct str kind);
