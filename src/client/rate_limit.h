/*
 * A token bucket that limits requests, like client-go's flowcontrol.
 *
 * "burst" requests may be sent at once, after that "qps" per second. The bucket starts full.
 * Callers get their tokens in the order of their calls. A caller whose deadline would pass before
 * its turn gets ERROR_DEADLINE at once.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct rate_limit {
    double qps;   /* tokens per second; below 0: no limit */
    double burst; /* size of the bucket */
    double tokens;
    int64_t counted; /* when tokens was last brought up to date; 0 before the first use */
};

/* 0 means the default of 20 per second and 30 at once. */
void rate_limit_init(struct rate_limit *limit, double qps, double burst);

/* Suspends until there is a token, and takes it. */
MUST_USE struct error *rate_limit_wait(struct rate_limit *limit);
