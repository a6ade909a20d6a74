/*
 * How long the turns of a loop take. A turn is the time that one fiber, from one suspension to the
 * next, one other task of the loop, or the timers that are due keep the thread: everybody else
 * waits for its end. Nothing may take more than LOOP_TURNS_LONG.
 *
 * A longer turn is told in the log at level 2, at most once a minute, with the name of the fiber,
 * what it waits for now, and the fields of its log context.
 *
 * Turns are measured by the clock of the loop, and also contain what the machine gave to other
 * processes meanwhile. For turns of some milliseconds the CPU time of the thread is known as well,
 * so that a busy machine can be told from a long piece of work.
 */
#pragma once

#include <stdint.h>

#include "base/duration.h"

struct loop;
struct metrics;

#define LOOP_TURNS_LONG (50 * MILLISECOND)

/* Upper bounds of LOOP_TURNS_BUCKETS - 1 buckets; the last one takes the rest. */
#define LOOP_TURNS_BUCKETS 10

struct loop_turns {
    uint64_t counts[LOOP_TURNS_BUCKETS]; /* turns by their length */
    double seconds;                      /* of all turns */
    duration longest, longest_cpu;
    /* private */
    int64_t begun;   /* when the turn began that goes on */
    int64_t sampled; /* when the CPU time was read last, and what it was */
    duration sampled_cpu;
    int64_t told; /* when a long turn was logged last; 0: never */
};

/*
 * Shows the turns of the loop: corset_loop_turn_seconds and the longest ones. Several registries
 * may show them; the loop outlives each of them.
 */
void loop_turns_register(struct loop *loop, struct metrics *metrics);
