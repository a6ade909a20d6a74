/*
 * Metrics about sets and clusters: corset_set_clusters, corset_set_failure_age_seconds and
 * corset_cluster_state. They are counted when they are shown, from the state of the controllers, so
 * only the process that leads has any.
 */
#pragma once

#include <stdbool.h>

#include "clusterresourceset/fault.h"
#include "clusterresourceset/health.h"
#include "clusterresourceset/types/delivery.h"

struct crs_controllers;

/* In ascending order of importance: the gravest one of its sets is the state of a cluster. */
enum set_metrics_state {
    SET_METRICS_IDLE, /* of a cluster that no set selects */
    SET_METRICS_APPLIED,
    SET_METRICS_DELETING,
    SET_METRICS_PAUSED,
    SET_METRICS_SETTLING,  /* applied, and the policy waits until objects are ready */
    SET_METRICS_WAITING,   /* not reconciled yet by the newest spec and resources, or other sets
                            * come first there */
    SET_METRICS_DRIFTED,   /* applied, but somebody has changed objects since */
    SET_METRICS_CONTESTED, /* the same, after every repair */
    SET_METRICS_UNREACHABLE,
    SET_METRICS_FAILED,
    SET_METRICS_STATES,
};

/* What decides the state of a set on one cluster. */
struct set_metrics_facts {
    bool is_deleting;      /* the set */
    bool is_paused;        /* the set or the Cluster */
    bool lacks_resource;   /* a resource of the set is missing or cannot be used */
    bool is_connected;     /* the cluster */
    bool is_reconciled;    /* by the newest plan of the set */
    enum fault_type fault; /* of the last reconcile */
    enum delivery_drift drift;
    enum health_state health;
};

/* Pure. */
enum set_metrics_state set_metrics_decide(const struct set_metrics_facts *facts);

/* Does nothing without options.metrics. */
void set_metrics_add(struct crs_controllers *controllers);
void set_metrics_remove(struct crs_controllers *controllers);
