/*
 * Virtual clusters begin empty at every start, while what is known about them is kept on disk.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

struct network;
struct rest_config;
struct tls_context;

/*
 * Deletes what an earlier run has left behind: bindings of virtual clusters, since what they tell
 * of is gone, and the Clusters and kubeconfig Secrets of those above the first count. Suspends.
 */
MUST_USE struct error *virtual_clusters_renew(const struct rest_config *config,
                                              struct network *network, struct tls_context *tls,
                                              size_t count);
