/*
 * Work that keeps a processor for longer than one turn of the loop may take. It runs on a worker
 * thread, and the fiber waits for it.
 *
 *     SCOPED(compute) compute = {0};
 *     TRY(compute_take(&compute));
 *     TRY(compute_run(&compute, compile, &schema));
 *
 * One fiber of a loop has the turn at a time: worker threads are left for commits and lookups, and
 * large work takes one processor at most. The next one is of the party that has used the least
 * (cpu_share.h), and what the work takes is counted for the party.
 *
 * The thread may use what the waiting fiber alone refers to, and what never changes. It must not
 * touch reference counts of anything that others refer to, nor the loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/owned.h"

struct loop;

/* Bytes of JSON from which on work is large. Smaller work is done where it is. */
#define COMPUTE_FROM (64 * KILOBYTE)

/* A turn. Zero is none. */
struct compute {
    struct loop *loop;
};

typedef struct error *compute_fn(void *data);

/* Suspends until the turn is the caller's. Nothing happens when it is already. */
MUST_USE struct error *compute_take(struct compute *compute);

/* Gives the turn to others. The caller may do so before it is done with what was computed. */
void compute_done(struct compute *compute);

/* Runs work(data) on a worker thread, and returns its error. Suspends. */
MUST_USE struct error *compute_run(const struct compute *compute, compute_fn *work, void *data);

/*
 * Runs work(data) and returns its error. The size is the number of bytes of JSON that the work
 * reads. Below COMPUTE_FROM the work runs on the loop. From COMPUTE_FROM on compute_sized() takes a
 * turn, suspends, and the work runs on a worker thread.
 */
MUST_USE struct error *compute_sized(size_t size, compute_fn *work, void *data);
