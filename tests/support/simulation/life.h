/*
 * A process under test: started, killed at one of anybody's suspensions, started again.
 *
 * It is a fiber that makes everything from nothing and releases all of it again. A suspension of
 * anybody counts while there is one; which of them is its last is drawn, or given.
 */
#pragma once

#include <stddef.h>

#include "async/loop.h"
#include "async/scope.h"
#include "base/random.h"
#include "support/simulation/trace.h"

struct life {
    struct trace *trace;
    fiber_fn run;               /* calls life_is_over() before it releases anything */
    void (*killed)(void *data); /* NULL: nobody cares */
    void *data;                 /* of both */
    uint64_t parks_most;        /* a life's length is drawn up to this many suspensions */
    uint64_t restart_at;        /* the one suspension at which it is killed; 0: drawn */
    size_t restarts_left;       /* that are drawn */
    bool may_restart;           /* by itself */
    struct random dice;

    struct fiber *process; /* NULL while there is none */
    size_t count;          /* lives so far */
    uint64_t parks, last;  /* suspensions so far; at which this life ends, 0: none */
};

/* A fiber that keeps it running. */
MUST_USE struct error *life_supervise(void *life);

/* The loop's park hook. */
MUST_USE struct error *life_on_park(void *life, const char *what);

void life_is_over(struct life *life, const struct error *err);

/* Killed now; somebody else than itself calls. */
void life_end(struct life *life, const char *why);

/* It lives on from here. */
void life_spare(struct life *life);
