/*
 * The rest_client_* metrics, with the names and labels client-go gives them.
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

    /* The last request's series: most are like the one before. */
    struct str method;
    int status;
    struct metrics_series *requests, *duration;
    struct arena texts;
};

void client_metrics_init(struct client_metrics *metrics, struct metrics *registry,
                         const struct rest_config *config);

void client_metrics_done(struct client_metrics *metrics);

/* One request; the method is a constant. status 0 for one that got no answer. */
void client_metrics_count(struct client_metrics *metrics, struct str method, int status,
                          duration took);
