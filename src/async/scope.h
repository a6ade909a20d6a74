/*
 * A scope owns the fibers started in it: leaving it cancels and joins them. None is detached.
 *
 *     SCOPED(scope) scope = {0};
 *     scope_start(&scope, "probe", probe, &first);
 *     scope_start(&scope, "probe", probe, &second);
 *     TRY(scope_wait(&scope));
 *
 * A fiber does not inherit the deadline of whoever started it: the starter waits under its own, and
 * unwinding cancels the fibers.
 */
#pragma once

#include <stdbool.h>

#include "async/loop.h"
#include "base/error.h"
#include "base/list.h"
#include "base/owned.h"

struct fiber;

struct scope {
    struct list members;
    size_t running;
    struct error *err; /* of the members that failed, joined, up to a bound */
    size_t failures;
    struct fiber *waiter;
    bool initialised;
};

/* Cancels and joins. Suspends, uninterrupted, while members still run. */
void scope_done(struct scope *scope);

/*
 * The name must outlive the fiber. Members start at the next turn of the loop. The fiber may be
 * cancelled singly for as long as it is known not to have ended.
 */
struct fiber *scope_start(struct scope *scope, const char *name, fiber_fn fn, void *data);

size_t scope_running(const struct scope *scope);

/* Tells every member to stop; does not wait. */
void scope_cancel(struct scope *scope);

/*
 * Suspends until every member has ended and returns their errors, joined. When the wait itself is
 * interrupted, that error comes back and the members go on.
 */
MUST_USE struct error *scope_wait(struct scope *scope);
