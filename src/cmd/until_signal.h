/*
 * Work that goes on until it ends by itself or somebody sends SIGINT or SIGTERM.
 */
#pragma once

#include "async/loop.h"
#include "base/error.h"

struct signals;

/*
 * Runs work(data) on a fiber of its own. A signal calls stopping (may be NULL), cancels the work
 * and waits for it to end, which is success then. Suspends.
 */
MUST_USE struct error *until_signal(struct signals *signals, fiber_fn work, void *data,
                                    void (*stopping)(void));
