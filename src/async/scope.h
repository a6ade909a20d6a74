/*
 * A scope owns the fibers started in it: leaving the scope cancels and joins them. No fiber is
 * detached.
 *
 *     SCOPED(scope) scope = {0};
 *     scope_start(&scope, "probe", probe, &first);
 *     scope_start(&scope, "probe", probe, &second);
 *     TRY(scope_wait(&scope));
 *
 * A fiber does not inherit the deadline of the fiber that started it. The starter waits under its
 * own deadline, and its unwinding cancels the fibers.
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
    struct error *err; /* errors of the members that failed, joined, up to a number */
    size_t failures;
    struct fiber *waiter;
    bool initialised;
};

/* Cancels and joins the members. Suspends, uninterrupted, while members still run. */
void scope_done(struct scope *scope);

/*
 * Starts a fiber, which first runs in the next iteration of the loop. The name must outlive the
 * fiber. The result may be passed to fiber_cancel() while the fiber is known not to have ended.
 */
struct fiber *scope_start(struct scope *scope, const char *name, fiber_fn fn, void *data);

size_t scope_running(const struct scope *scope);

/* Cancels every member and does not wait. */
void scope_cancel(struct scope *scope);

/*
 * Suspends until every member has ended and returns their errors, joined. When the wait itself is
 * interrupted, that error is returned and the members run on.
 */
MUST_USE struct error *scope_wait(struct scope *scope);
