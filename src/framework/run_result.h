/*
 * The result of a run: what all errors of a run mean for the owner's status and for the queue.
 *
 * Pure functions of errors. The status reports the most severe error; of equally severe ones, that
 * of the node that was added first, so that the result does not depend on timing.
 */
#pragma once

#include "base/duration.h"
#include "base/error.h"
#include "framework/graph.h"

struct run_result {
    const struct error *worst; /* NULL: no error that a status reports; borrowed */
    bool is_recoverable;       /* at least one error is */
    bool is_counted;           /* at least one error counts in metrics and logs */
    bool is_stale, is_canceled;
    duration delay; /* the shortest that was asked for; 0: none */
};

/* graph and err may be NULL. The result borrows errors from both. */
struct run_result run_result_of(const struct graph *graph, const struct error *err);

/* The reason for the condition Failed, never empty. It lives in the arena. */
struct str run_result_reason(const struct run_result *result, struct arena *arena);
