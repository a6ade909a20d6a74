/* Deletes virtual clusters of an earlier run that this run does not have. */
#pragma once

#include <stddef.h>

#include "base/error.h"

struct network;
struct rest_config;
struct tls_context;

/*
 * Deletes Clusters, bindings and kubeconfig Secrets of virtual clusters above the first count.
 * Suspends.
 */
MUST_USE struct error *stale_clusters_delete(const struct rest_config *config,
                                             struct network *network, struct tls_context *tls,
                                             size_t count);
