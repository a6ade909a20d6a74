/* Runs a function until it ends or the process gets SIGINT or SIGTERM. */
#pragma once

#include "async/loop.h"
#include "base/error.h"

struct signals;

/*
 * Runs work(data) on a new fiber. A signal calls stopping (may be NULL), cancels the fiber and
 * waits for it; a cancellation is success then. Suspends.
 */
MUST_USE struct error *until_signal(struct signals *signals, fiber_fn work, void *data,
                                    void (*stopping)(void));
