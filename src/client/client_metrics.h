/*
 * The rest_client_* metrics, with the names and labels client-go gives them.
 */
#pragma once

#include "base/duration.h"
#include "base/str.h"

struct metrics;
struct rest_config;

struct client_metrics {
    struct metrics *metrics; /* NULL: nothing is counted */
    const struct rest_config *config;
};

void client_metrics_init(struct client_metrics *metrics, struct metrics *registry,
                         const struct rest_config *config);

/* One request; status 0 for one that got no answer. */
void client_metrics_count(struct client_metrics *metrics, struct str method, int status,
                          duration took);
