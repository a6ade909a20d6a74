/*
 * Delays of requeues. Arithmetic in whole nanoseconds: with floating point a remainder could round
 * to zero and the key would be reconciled in a busy loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"

struct random;

/* Before all real times, also after any duration is added to it. */
#define REQUEUE_NEVER (INT64_MIN / 2)

/* True if less than the interval has passed since `last`; returns what remains of it. */
bool requeue_should_wait(int64_t now, int64_t last, duration interval, duration *ret_remaining);

/*
 * The time between attempts to connect. A cluster that was never connected is tried again after 1,
 * 2, 4, 8 and then every 15 s, by the number of attempts that have failed; every other one after
 * the retry interval, which is also the maximum.
 */
duration requeue_retry(bool is_new, uint32_t failures, duration retry);

/* The smallest delay, or the fallback if there is none. */
duration requeue_min_or_default(const duration *delays, size_t count, duration fallback);

/* The delay, grown by a random part of this share. A share of 0 or less changes nothing. */
duration requeue_spread(struct random *random, duration delay, double share);
