/*
 * Reads the owner of a run and writes to it: its status and the controller's finalizer.
 *
 * Every write is conditional on the version that was read: ERROR_CLASS_STALE if the server has a
 * newer one. A write that would change nothing is not sent. Afterwards run->owner is the newest
 * copy.
 */
#pragma once

#include "framework/framework_internal.h"
#include "framework/run_result.h"

/* Sets run->owner. ERROR_NOT_FOUND. Suspends. */
MUST_USE struct error *owner_read(struct framework_run *run);

/* Step 2: records that this generation is being reconciled. Suspends. */
MUST_USE struct error *owner_begin(struct framework_run *run);

/*
 * Step 5: writes the result and the conditions of hooks. ERROR_NOT_FOUND: the owner is gone.
 * Suspends.
 */
MUST_USE struct error *owner_end(struct framework_run *run, const struct run_result *result);

/* Writes only the conditions that hooks have set. Suspends. */
MUST_USE struct error *owner_set_conditions(struct framework_run *run);

/* Adds or removes the finalizer of the controller. Suspends. */
MUST_USE struct error *owner_change_finalizer(struct framework_run *run, bool add);
