/*
 * A ClusterCache for a command that asks clusters once: the caller adds the clusters, and there is
 * no controller. A connection is made by the first request; none is probed or renewed.
 */
#pragma once

#include "clustercache/clustercache.h"

/* Of the options: network, tls, proxies, user_agent, timeout, qps, burst. */
struct clustercache *clustercache_static_new(struct loop *loop,
                                             const struct clustercache_options *options);

/* Suspends. */
void clustercache_static_free(struct clustercache *cache);

/* Moves the config, which is empty afterwards. The key is not known yet. */
void clustercache_static_add(struct clustercache *cache, struct key cluster,
                             struct rest_config *config);

/* The same for a cluster that cannot be connected to, for this reason. */
void clustercache_static_add_lost(struct clustercache *cache, struct key cluster,
                                  const struct error *why);
