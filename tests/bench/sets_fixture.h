/*
 * ClusterResourceSets on many clusters, for measurements. The API server with its virtual clusters
 * is a process of its own, on disk; the controllers are in this one, over real sockets and TLS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api_fixture.h"
#include "apimachinery/gvk.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/duration.h"
#include "cluster_processes.h"
#include "clusterresourceset/crs_controllers.h"

struct client;
struct controller_manager;

struct sets_fixture_options {
    enum crs_reconcile_with reconcile_with;
    duration drift_check; /* 0: the default */
    bool drift_watch;
    bool has_page;  /* the fleet's page is served */
    duration probe; /* between probes; 0: the default */

    /* The clusters are in so many other processes, 20 ms away; 0: in the server itself. */
    size_t processes;
    size_t threads; /* of the controllers; 0: one */
};

struct sets_fixture {
    struct api_fixture api;
    struct cluster_processes processes;
    size_t clusters;
    struct sets_fixture_options options;
    struct client *admin;
    struct controller_manager *controllers;
    struct scope running;
};

/* Starts the server with so many clusters, and the controllers. Suspends until all are connected.
 */
void sets_fixture_open(struct sets_fixture *fixture, size_t clusters,
                       const struct sets_fixture_options *options);
void sets_fixture_close(struct sets_fixture *fixture);

/* The controllers alone end and begin anew, as after a restart. Suspends as sets_fixture_open(). */
void sets_fixture_restart(struct sets_fixture *fixture);

/* Creates an object from its text. */
void sets_fixture_create(struct sets_fixture *fixture, struct gvr gvr, const struct buf *text);

/*
 * Creates a set "s" with the policy "p" on all clusters, and its ConfigMap "s". The manifest is
 * written as it stands in a JSON string.
 */
void sets_fixture_create_with_policy(struct sets_fixture *fixture, struct str manifest);

/* Suspends until the condition ResourcesApplied of the set is True for its generation. */
void sets_fixture_wait_applied(struct sets_fixture *fixture, const char *name);

/* The sum of what the metrics of the controllers say in lines that have both texts. */
double sets_fixture_sum_metric(struct sets_fixture *fixture, const char *name, const char *label);

/* What the controllers have asked so far, of workload clusters or of the management cluster. */
double sets_fixture_count_requests(struct sets_fixture *fixture, bool workloads);

/* How virtual clusters misbehave from now on, in the words of `corset apiserver --inject`. */
void sets_fixture_inject(struct sets_fixture *fixture, const char *faults);
