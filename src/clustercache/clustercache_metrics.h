/*
 * The metrics of one cluster. Series appear with their first change and go with the accessor; what
 * still runs then updates series that nobody sees.
 */
#pragma once

#include <stdbool.h>

struct accessor;
struct metrics;
struct metrics_series;

struct clustercache_series {
    struct metrics_series *up, *healthy, *succeeded, *failed; /* references; NULL: not yet */
};

void clustercache_metrics_register(struct metrics *metrics);

void clustercache_series_up(struct accessor *accessor, bool is_up);
void clustercache_series_probed(struct accessor *accessor, bool succeeded);

/* They are not shown any more. */
void clustercache_series_remove(struct accessor *accessor);
void clustercache_series_done(struct clustercache_series *series);
