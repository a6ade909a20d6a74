/*
 * Virtual clusters that are registered on disk, of which this run may have fewer than the last one.
 */
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
