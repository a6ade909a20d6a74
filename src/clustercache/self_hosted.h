/* Does this process run on the workload cluster itself? */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct cluster_connection;

/* Suspends: asks the cluster for our Pod. No pod known: no. */
MUST_USE struct error *self_hosted_check(struct cluster_connection *connection, bool *ret_is_on);
