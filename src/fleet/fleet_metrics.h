/* The corset_fleet_* metrics. */
#pragma once

#include "base/duration.h"
#include "base/str.h"

struct clustercache_each_summary;
struct fleet_outcome;
struct metrics;

void fleet_metrics_register(struct metrics *metrics);

/* A request has ended. kind is "one" or "all". metrics may be NULL. */
void fleet_metrics_count(struct metrics *metrics, struct str kind, int status, duration took,
                         size_t bytes);

/* Clusters of a question that did not answer. */
void fleet_metrics_count_clusters(struct metrics *metrics, const struct fleet_outcome *outcome);
