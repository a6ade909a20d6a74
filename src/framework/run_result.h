/*
 * What the failures of one loop come to: what the owner's status says, and when to come again.
 *
 * Pure functions of errors. The worst failure is what people are told; of equals, that of the node
 * that was added first.
 */
#pragma once

#include "base/duration.h"
#include "base/error.h"
#include "framework/graph.h"

struct run_result {
    const struct error *worst; /* NULL: none that a status tells of; borrowed */
    bool is_recoverable;       /* some of it */
    bool is_counted;           /* some of it is an error for metrics and logs */
    bool is_stale, is_canceled;
    duration delay; /* the shortest that was asked for; 0: none */
};

/* Both may be NULL. The result borrows from them. */
struct run_result run_result_of(const struct graph *graph, const struct error *err);

/* A reason there always is. In the arena. */
struct str run_result_reason(const struct run_result *result, struct arena *arena);
