/*
 * Worker threads, for work that has no non-blocking form: name lookup, fsync, key generation.
 */
#pragma once

#include "base/error.h"

/*
 * Runs work(data) on a worker thread and Suspends until it has returned.
 *
 * With discard NULL the wait is not interrupted after the work has begun, since the worker uses the
 * caller's memory; such work must be short. With discard given, an interrupted call returns its
 * error at once and no longer owns data: discard(data) is called on the loop when the work has
 * ended or is known never to begin.
 */
MUST_USE struct error *worker_run(void (*work)(void *data), void *data,
                                  void (*discard)(void *data));
