/*
 * SIGINT and SIGTERM as something a fiber waits for: the request to stop.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"

struct loop;
struct signals;

/*
 * From now on the two signals are kept for signals_wait(); SIGPIPE and SIGXFSZ are ignored. Must be
 * called before worker threads exist, that is, before anything suspends.
 */
MUST_USE struct error *signals_new(struct loop *loop, struct signals **ret_signals);
void signals_free(struct signals *signals);
DEFINE_OWNED(signals)

/* Suspends until one of the two signals arrives. */
MUST_USE struct error *signals_wait(struct signals *signals);
