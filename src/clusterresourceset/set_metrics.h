/*
 * Metrics about sets and clusters: corset_set_clusters, corset_set_failure_age_seconds and
 * corset_cluster_state. They are counted when they are shown, from the state of the controllers, so
 * only the process that leads has any.
 */
#pragma once

struct crs_controllers;

/* Does nothing without options.metrics. */
void set_metrics_add(struct crs_controllers *controllers);
void set_metrics_remove(struct crs_controllers *controllers);
