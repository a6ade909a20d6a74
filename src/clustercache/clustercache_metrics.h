/*
 * The metrics of one cluster. A series appears with its first change and is removed with the
 * accessor. Operations that still run then change series that are not exported any more.
 */
#pragma once

#include <stdbool.h>

#include "base/duration.h"

struct accessor;
struct metrics;
struct metrics_series;

struct clustercache_series {
    struct metrics_series *up, *healthy, *succeeded, *failed; /* references; NULL: no change yet */
};

void clustercache_metrics_register(struct metrics *metrics);

void clustercache_series_up(struct accessor *accessor, bool is_up);
/* A probe begins, this much after it was due. */
void clustercache_series_probe_began(const struct accessor *accessor, duration late);
void clustercache_series_probed(struct accessor *accessor, bool succeeded);

/* Stops exporting the four series. The references stay until _done(). */
void clustercache_series_remove(struct accessor *accessor);
void clustercache_series_done(struct clustercache_series *series);
