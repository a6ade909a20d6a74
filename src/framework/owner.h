/*
 * Reading the owner of a loop and writing to it: its status and our finalizer.
 *
 * Every write is guarded by the version that was read; ERROR_CLASS_STALE when it met a newer one.
 * Nothing is sent that changes nothing. loop->owner is the newest copy afterwards.
 */
#pragma once

#include "framework/framework_internal.h"
#include "framework/run_result.h"

/* Sets run->owner. ERROR_NOT_FOUND. Suspends. */
MUST_USE struct error *owner_read(struct framework_run *run);

/* Step 2: this generation is being worked on. Suspends. */
MUST_USE struct error *owner_begin(struct framework_run *run);

/* Step 5: how it went, and the conditions of hooks. ERROR_NOT_FOUND: it is gone. Suspends. */
MUST_USE struct error *owner_end(struct framework_run *run, const struct run_result *result);

/* The conditions that hooks have set and nothing else. Suspends. */
MUST_USE struct error *owner_set_conditions(struct framework_run *run);

/* Suspends. */
MUST_USE struct error *owner_change_finalizer(struct framework_run *run, bool add);
