/*
 * Whether this process runs on the workload cluster itself. Such a cluster is reached through its
 * Service, because the address in the kubeconfig may not be reachable from inside.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct cluster_connection;

/* Asks the cluster for the Pod of this process. False if that Pod is not known. Suspends. */
MUST_USE struct error *self_hosted_check(struct cluster_connection *connection,
                                         bool *ret_is_self_hosted);
