/*
 * The wish to stop: SIGINT and SIGTERM as something a fiber waits for.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"

struct loop;
struct signals;

/*
 * From now on the two signals are kept for signals_wait(); SIGPIPE is ignored. To be called before
 * worker threads exist, that is, before anything suspends.
 */
MUST_USE struct error *signals_new(struct loop *loop, struct signals **ret_signals);
void signals_free(struct signals *signals);
DEFINE_OWNED(signals)

/* Suspends until one of them comes. */
MUST_USE struct error *signals_wait(struct signals *signals);
