/*
 * Faults on purpose: how a virtual cluster misbehaves.
 *
 *     latency=20ms,jitter=5ms,error=0.01,drop=0.001,hole=0.0001,seed=7
 *
 * Before a request is looked at, it waits for the latency and up to the jitter more. Then one of
 * three faults may happen to it, each with its probability:
 *
 *     error   it is answered with a 500.
 *     drop    its connection is closed without a response, and everything on it ends. On an HTTP/2
 *             connection that is shared with other clusters, all streams of this cluster are reset
 *             instead, so that a fault stays inside of its cluster.
 *     hole    it is never answered. It ends when the client leaves or the server stops.
 *
 * If the probabilities add up to more than 1, holes come before drops and drops before errors.
 *
 * An open watch draws again for each event it is about to send, and once a minute without events.
 * With drop its connection is closed; with hole it stays open and sends nothing more until its
 * time-out. Its events are not delayed.
 *
 * What happens depends on the seed, the cluster, the number of requests to it since its faults were
 * set, and within a watch the number of earlier draws; and on nothing else. The same sequence of
 * requests meets the same faults.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"

struct fault_injection {
    duration latency, jitter; /* every request waits for latency, and up to jitter more */
    double error, drop, hole; /* probabilities */
    uint64_t seed;
};

/* ERROR_PARSE names the part that is wrong. An empty text means no faults. */
MUST_USE struct error *fault_injection_read(struct str text, struct fault_injection *ret_faults);
void fault_injection_write(const struct fault_injection *faults, struct buf *out);

enum injected_fault {
    INJECTED_NONE,
    INJECTED_ERROR,
    INJECTED_DROP,
    INJECTED_HOLE,
};

/* What happens to the request of this number (from 0), and how long it waits first. */
enum injected_fault fault_injection_decide(const struct fault_injection *faults, struct str cluster,
                                           uint64_t number, duration *ret_wait);

/*
 * What happens to a watch at its n-th draw (from 1); number is that of its request. Never an error.
 */
enum injected_fault fault_injection_decide_watch(const struct fault_injection *faults,
                                                 struct str cluster, uint64_t number,
                                                 uint64_t draw);
