/*
 * Workload clusters for measurements that one process cannot play: virtual clusters of several
 * `corset apiserver` processes, registered with a management cluster that is none of them.
 */
#pragma once

#include <stddef.h>

#include "api_fixture.h"

struct client;

#define CLUSTER_PROCESSES_MAX 8

struct cluster_processes {
    size_t count;    /* of processes */
    size_t clusters; /* of all of them */
    struct api_fixture servers[CLUSTER_PROCESSES_MAX];

    /* Of the registration. */
    struct client *client;
    size_t next;
};

/* The clusters misbehave in these words of `corset apiserver --inject`. */
void cluster_processes_start(struct cluster_processes *processes, size_t count, size_t clusters,
                             const char *faults);
void cluster_processes_stop(struct cluster_processes *processes);

/* Creates a Cluster and its Secret for each of them, all with the label corset.dev/virtual.
 * Suspends. */
void cluster_processes_register(struct cluster_processes *processes, struct client *client);

/* Seconds of processor time that all processes have used. */
double cluster_processes_cpu(const struct cluster_processes *processes);
