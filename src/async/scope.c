/*
 * Scopes: a list of the fibers started in them, and a fiber that waits for their end.
 */
#include "async/scope.h"

#include <assert.h>

#include "async/fiber.h"
#include "async/fiber_internal.h"
#include "base/memory.h"

/* Errors past this number are dropped; joining more would only make the message unreadable. */
#define ERRORS_KEPT 8

/* One fiber of a scope. Freed when the fiber has ended. */
struct member {
    struct scope *scope;
    struct fiber *fiber;
    struct fiber_outcome outcome;
    struct list_link link;
};

static void scope_init(struct scope *scope)
{
    if (scope->initialised)
        return;
    list_init(&scope->members);
    scope->initialised = true;
}

static void keep_error(struct scope *scope, struct error *err)
{
    if (!err)
        return;
    if (scope->failures++ < ERRORS_KEPT)
        scope->err = error_join(scope->err, err);
    else
        error_free(err);
}

/* Called on the loop, after the fiber has been freed. */
static void member_ended(struct fiber_outcome *outcome)
{
    struct member *member = CONTAINER_OF(outcome, struct member, outcome);
    struct scope *scope = member->scope;
    keep_error(scope, outcome->err);
    list_remove(&member->link);
    mem_free(member);
    if (--scope->running == 0 && scope->waiter)
        fiber_wake(scope->waiter);
}

struct fiber *scope_start(struct scope *scope, const char *name, fiber_fn fn, void *data)
{
    scope_init(scope);
    struct member *member = NEW(struct member);
    member->scope = scope;
    member->outcome.ended = member_ended;
    list_append(&scope->members, &member->link);
    scope->running++;
    member->fiber = fiber_spawn(loop_current(), name, fn, data, &member->outcome);
    return member->fiber;
}

size_t scope_running(const struct scope *scope)
{
    return scope->running;
}

void scope_cancel(struct scope *scope)
{
    if (!scope->initialised)
        return;
    LIST_FOREACH (struct member, member, &scope->members, link)
        fiber_cancel(member->fiber);
}

/*
 * The count is checked again after each wake-up: other fibers may have started further members
 * meanwhile.
 */
struct error *scope_wait(struct scope *scope)
{
    while (scope->running) {
        assert(!scope->waiter);
        scope->waiter = fiber_current();
        struct error *err = fiber_park("fibers to end");
        scope->waiter = NULL;
        if (err)
            return err;
    }
    scope->failures = 0;
    return TAKE(scope->err);
}

/* The wait cannot be interrupted: members use memory of the fiber that leaves the scope. */
void scope_done(struct scope *scope)
{
    scope_cancel(scope);
    while (scope->running) {
        assert(fiber_current() && !scope->waiter);
        scope->waiter = fiber_current();
        fiber_park_uninterrupted("canceled fibers to end");
        scope->waiter = NULL;
    }
    error_free(TAKE(scope->err));
    scope->failures = 0;
}
