/*
 * Fibers: code that reads as if calls blocked, all of it on the loop's thread.
 *
 * A fiber runs until it waits; others run meanwhile, so state is consistent at every suspension and
 * read again after it. Every wait ends in one of three ways: what was waited for came, the fiber's
 * deadline passed (ERROR_DEADLINE), or somebody cancelled the fiber (ERROR_CANCELED). Both errors
 * come out of the waiting call, so that owned locals unwind normally; a cancelled fiber stays
 * cancelled, and each further wait fails at once.
 *
 * Fibers are started and owned by scopes (scope.h). A call that may suspend says "Suspends".
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

/* The fiber that runs now; NULL on the loop itself. */
struct fiber *fiber_current(void);
const char *fiber_name(const struct fiber *fiber);

/* Suspends. */
MUST_USE struct error *fiber_sleep(duration span);

/* Suspends until everything that is ready now has had its turn. */
MUST_USE struct error *fiber_yield(void);

/*
 * The primitive under every wait: Suspends until fiber_wake(), the deadline or a cancellation,
 * whichever is first. "what" is a constant that completes "while waiting for". On an error the
 * caller takes back whatever would have woken it.
 */
MUST_USE struct error *fiber_park(const char *what);

/* The same, but only fiber_wake() ends it. For joins and for memory another thread still uses. */
void fiber_park_uninterrupted(const char *what);

/* Makes a parked fiber ready. Does nothing to one that is ready already. */
void fiber_wake(struct fiber *fiber);

void fiber_cancel(struct fiber *fiber);
bool fiber_is_canceled(const struct fiber *fiber);

/* On the loop's clock; FOREVER when there is none. */
int64_t fiber_deadline(void);

struct fiber_limits {
    int64_t deadline;
    bool shielded;
    duration grace; /* how long a shield holds once it is needed; 0: it has a deadline */
};

struct fiber_limits fiber_limits_narrow(duration most);
struct fiber_limits fiber_limits_shield(duration most);
struct fiber_limits fiber_limits_grace(duration most);
void fiber_limits_done(struct fiber_limits *outer);

#define FIBER_NAME2_(a, b) a##b
#define FIBER_NAME_(a, b)  FIBER_NAME2_(a, b)

/* To the end of the enclosing block: waits end at the latest after this span. */
#define FIBER_TIMEOUT(most)                                                              \
    __attribute__((unused, cleanup(fiber_limits_done))) struct fiber_limits FIBER_NAME_( \
        outer_, __LINE__) = fiber_limits_narrow(most)

/*
 * To the end of the enclosing block: cancellation and outer deadlines are put off, but for no
 * longer than this span. For good-byes that should still be said while unwinding.
 */
#define FIBER_SHIELD(most)                                                               \
    __attribute__((unused, cleanup(fiber_limits_done))) struct fiber_limits FIBER_NAME_( \
        outer_, __LINE__) = fiber_limits_shield(most)

/*
 * The same, but the span is counted from the cancellation: who is not cancelled has all the time
 * there is, and that span at least. For writes whose outcome somebody should still hear of.
 */
#define FIBER_GRACE(most)                                                                \
    __attribute__((unused, cleanup(fiber_limits_done))) struct fiber_limits FIBER_NAME_( \
        outer_, __LINE__) = fiber_limits_grace(most)
