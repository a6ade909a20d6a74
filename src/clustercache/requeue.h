/* When a key is to come again: plain arithmetic in whole nanoseconds, so that no rest can spin. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"

struct random;

/* A point in time before all others; adding a span to it still lies before all real ones. */
#define REQUEUE_NEVER (INT64_MIN / 2)

/* Is it too early to do something again that was last done then? How long it still is. */
bool requeue_should_wait(int64_t now, int64_t last, duration interval, duration *ret_remaining);

/* The smallest, or the fallback when there is none. */
duration requeue_min_or_default(const duration *delays, size_t count, duration fallback);

/* Grows by up to this share, never less; a share of 0 or less changes nothing. */
duration requeue_spread(struct random *random, duration delay, double share);
