/*
 * A program of simulated runs:
 *
 *     <program> [--seed N] [--seeds N] [--step N] [--points] [--repeat] [-v]
 *
 * Runs seeds N, N+1, ..., or every so many. With --points the seeds are the suspensions at which
 * the process under test restarts, in a run without any other trouble; with --repeat every run is
 * made twice and has to be the same both times. The runs are made by a child, so that whatever
 * kills it, the seed is known, and the command that replays it is printed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "support/simulation/front.h"

struct seeds_options {
    const struct front_shared *shared;
    uint64_t seed;
    uint64_t restart_at;
    bool verbose;
};

struct seeds_result {
    uint64_t hash;
    uint64_t parks;
    duration took; /* from the end of the trouble until all was well */
    size_t requests, lives;
    struct buf state; /* the same for all seeds; empty: not to be compared. The caller's */
};

/* A whole run on a loop of its own. Fails the test when something is wrong. */
typedef void seeds_run_fn(const struct seeds_options *options, struct seeds_result *ret_result);

int seeds_main(seeds_run_fn *run, int argc, char **argv);
