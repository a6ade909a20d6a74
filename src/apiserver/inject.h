/*
 * Faults on purpose: how badly a virtual cluster behaves.
 *
 *     latency=20ms,jitter=5ms,error=0.01,drop=0.001,hole=0.0001,seed=7
 *
 * What happens to a request depends on the seed, on the cluster and on how many came before, and on
 * nothing else: the same run meets the same faults.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"

struct inject {
    duration latency, jitter; /* every answer waits for the first, and up to the second more */
    double error, drop, hole; /* shares: 500 answered; connection reset; never answered */
    uint64_t seed;
};

/* ERROR_PARSE names the part that is wrong. An empty text is no faults. */
MUST_USE struct error *inject_read(struct str text, struct inject *ret_inject);
void inject_write(const struct inject *inject, struct buf *out);

enum inject_fault {
    INJECT_NONE,
    INJECT_ERROR,
    INJECT_DROP,
    INJECT_HOLE,
};

/* What happens to the request of this number, and how long it waits first. */
enum inject_fault inject_decide(const struct inject *inject, struct str cluster, uint64_t number,
                                duration *ret_wait);
