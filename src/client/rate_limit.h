/*
 * A token bucket that limits requests, like client-go's flowcontrol.
 *
 * "burst" requests may be sent at once, after that "qps" per second. The bucket starts full.
 * Callers get their tokens in the order of their calls. A caller whose deadline would pass before
 * its turn gets ERROR_DEADLINE at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
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

/* Takes a token if there is one. False: there is none, and nothing was taken. */
bool rate_limit_try(struct rate_limit *limit);

/* Puts so many tokens back that were taken and not used. The bucket never holds more than "burst".
 */
void rate_limit_give(struct rate_limit *limit, size_t tokens);
