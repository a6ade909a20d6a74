/*
 * Faults on purpose: how badly a virtual cluster behaves.
 *
 *     latency=20ms,jitter=5ms,error=0.01,drop=0.001,hole=0.0001,seed=7
 *
 * Before a request is looked at, it waits for the latency and up to the jitter more, and then one
 * of three things may happen to it, each with its share:
 *
 *     error   it is answered with a 500.
 *     drop    its connection is closed without a word, and everything on it ends. On an HTTP/2
 *             connection over which other clusters were asked as well, all streams of this cluster
 *             are reset instead: a fault stays inside its cluster, whoever shares connections.
 *     hole    it is never answered. It ends when the client leaves or the server stops.
 *
 * Where the shares are more than 1 together, holes go before drops and these before errors.
 *
 * A watch that is open draws anew for each event it is about to send, and for each minute without:
 * with drop its connection goes, with hole it stays open and says nothing more until its time-out.
 * Its events are not delayed.
 *
 * What happens depends on the seed, on the cluster, on how many requests came to it since its
 * faults were set, and within a watch on how many draws came before; and on nothing else. The same
 * sequence of requests meets the same faults.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"

struct fault_injection {
    duration latency, jitter; /* every answer waits for the first, and up to the second more */
    double error, drop, hole; /* shares: 500 answered; connection reset; never answered */
    uint64_t seed;
};

/* ERROR_PARSE names the part that is wrong. An empty text is no faults. */
MUST_USE struct error *fault_injection_read(struct str text, struct fault_injection *ret_faults);
void fault_injection_write(const struct fault_injection *faults, struct buf *out);

enum injected_fault {
    INJECTED_NONE,
    INJECTED_ERROR,
    INJECTED_DROP,
    INJECTED_HOLE,
};

/* What happens to the request of this number, from 0, and how long it waits first. */
enum injected_fault fault_injection_decide(const struct fault_injection *faults, struct str cluster,
                                           uint64_t number, duration *ret_wait);

/* What happens to a watch, the request of this number, at its n-th draw from 1: no error. */
enum injected_fault fault_injection_decide_watch(const struct fault_injection *faults,
                                                 struct str cluster, uint64_t number,
                                                 uint64_t draw);
