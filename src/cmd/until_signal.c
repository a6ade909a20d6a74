#include "cmd/until_signal.h"

#include <stdbool.h>

#include "async/fiber.h"
#include "async/scope.h"
#include "async/signals.h"

/*
 * Two fibers, each of which cancels the other when it ends. A fiber that has ended must not be
 * used, so its pointer becomes NULL.
 */
struct until {
    struct signals *signals;
    fiber_fn work;
    void *data;
    void (*stopping)(void);
    struct fiber *worker, *listener; /* NULL: it has ended */
    bool is_told;
};

/* After a signal, a cancellation is the expected end of the work. */
static struct error *run_work(void *data)
{
    struct until *until = data;
    struct error *err = until->work(until->data);
    until->worker = NULL;
    if (until->listener)
        fiber_cancel(until->listener);
    return until->is_told ? error_ignore(err, ERROR_CANCELED) : err;
}

/* Cancelled when the work ends by itself. */
static struct error *listen_for_signal(void *data)
{
    struct until *until = data;
    struct error *err = signals_wait(until->signals);
    until->listener = NULL;
    until->is_told = !err;
    if (!err && until->worker) {
        if (until->stopping)
            until->stopping();
        fiber_cancel(until->worker);
    }
    return error_ignore(err, ERROR_CANCELED);
}

struct error *until_signal(struct signals *signals, fiber_fn work, void *data,
                           void (*stopping)(void))
{
    struct until until = {.signals = signals, .work = work, .data = data, .stopping = stopping};
    SCOPED(scope) scope = {0};
    until.listener = scope_start(&scope, "signals", listen_for_signal, &until);
    until.worker = scope_start(&scope, "work", run_work, &until);
    return scope_wait(&scope);
}
