/* Does this process run on the workload cluster itself? */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct workload;

/* Suspends: asks the cluster for our Pod. No pod known: no. */
MUST_USE struct error *pod_is_on(struct workload *workload, bool *ret_is_on);
