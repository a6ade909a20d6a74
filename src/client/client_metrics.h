/*
 * The rest_client_* metrics, with the names and labels of client-go.
 */
#pragma once

#include "base/arena.h"
#include "base/duration.h"
#include "base/str.h"

struct metrics;
struct metrics_series;
struct rest_config;

struct client_metrics {
    struct metrics *metrics; /* NULL: nothing is counted */
    struct str host;

    /* The series of the last request. Most requests have the same method and status as the last. */
    struct str method;
    int status;
    struct metrics_series *requests, *duration;
    struct arena texts;
};

/* host, a constant, is the label of all requests; empty: host and port of the config's server. */
void client_metrics_init(struct client_metrics *metrics, struct metrics *registry,
                         const struct rest_config *config, struct str host);

void client_metrics_done(struct client_metrics *metrics);

/* Counts a request. The method must be a constant. status is 0 if there was no response. */
void client_metrics_count(struct client_metrics *metrics, struct str method, int status,
                          duration took);
