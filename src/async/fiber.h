/*
 * Fibers: code that reads as if calls blocked, all of it on the thread of the loop.
 *
 * A fiber runs until it waits. Other fibers run meanwhile, so shared state must be consistent at
 * every suspension and is read again after it. Every wait ends in one of three ways: the event
 * came, the deadline of the fiber passed (ERROR_DEADLINE), or the fiber was cancelled
 * (ERROR_CANCELED). Both errors are returned by the waiting call, so that owned locals are released
 * normally. A cancelled fiber stays cancelled, and each further wait fails at once.
 *
 * Fibers are started and owned by scopes (scope.h). The comment of a call that may suspend says
 * "Suspends".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct fiber;

/* The running fiber; NULL in code that the loop calls outside any fiber. */
struct fiber *fiber_current(void);
/* The name given to scope_start(). For diagnostics: the simulation names the fiber it stops. */
const char *fiber_name(const struct fiber *fiber);

/* Suspends. */
MUST_USE struct error *fiber_sleep(duration span);

/*
 * Gives the part of the stack that is not in use to the system, for a fiber that is about to wait
 * for long after it has done much. Does not suspend.
 */
void fiber_trim_stack(void);

/* Suspends until everything that is ready now has run. */
MUST_USE struct error *fiber_yield(void);

/* The same once this turn has taken two milliseconds; before that it does nothing. For loops. */
MUST_USE struct error *fiber_yield_in_time(void);

/* How long the running fiber has kept the thread by now, since its last suspension. */
duration fiber_turn(void);

/*
 * The primitive under every wait: Suspends until fiber_wake(), the deadline or a cancellation,
 * whichever comes first. "what" is a constant that completes "while waiting for". On an error the
 * caller removes itself from whatever would have woken it.
 */
MUST_USE struct error *fiber_park(const char *what);

/*
 * The same, but only fiber_wake() ends the wait. For joins, and for memory that another thread
 * still uses.
 */
void fiber_park_uninterrupted(const char *what);

/* Makes a parked fiber ready. A fiber that is ready already is not affected. */
void fiber_wake(struct fiber *fiber);

void fiber_cancel(struct fiber *fiber);
bool fiber_is_canceled(const struct fiber *fiber);

/* The deadline of the running fiber, on the clock of loop_now(); FOREVER when there is none. */
int64_t fiber_deadline(void);

/* What bounds the waits of a fiber. Changed by the macros below. */
struct fiber_limits {
    int64_t deadline;
    bool shielded;
    duration
        grace; /* how long the shield holds after a cancellation; 0 for a plain FIBER_SHIELD() */
};

struct fiber_limits fiber_limits_narrow(duration span);
struct fiber_limits fiber_limits_shield(duration span);
struct fiber_limits fiber_limits_grace(duration span);
void fiber_limits_done(struct fiber_limits *outer);

#define FIBER_NAME2_(a, b) a##b
#define FIBER_NAME_(a, b)  FIBER_NAME2_(a, b)

/* To the end of the enclosing block: every wait ends at the latest when this span has passed. */
#define FIBER_TIMEOUT(span)                                                              \
    __attribute__((unused, cleanup(fiber_limits_done))) struct fiber_limits FIBER_NAME_( \
        outer_, __LINE__) = fiber_limits_narrow(span)

/*
 * To the end of the enclosing block: cancellation and outer deadlines are put off, for this span at
 * most. For a farewell to the peer that should still be sent while unwinding.
 */
#define FIBER_SHIELD(span)                                                               \
    __attribute__((unused, cleanup(fiber_limits_done))) struct fiber_limits FIBER_NAME_( \
        outer_, __LINE__) = fiber_limits_shield(span)

/*
 * The same, but the span starts with the cancellation. Without a cancellation the outer deadline
 * holds, but the block has the span at least. For writes whose result should still be recorded.
 */
#define FIBER_GRACE(span)                                                                \
    __attribute__((unused, cleanup(fiber_limits_done))) struct fiber_limits FIBER_NAME_( \
        outer_, __LINE__) = fiber_limits_grace(span)
