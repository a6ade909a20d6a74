/*
 * A ClusterCache for a command that asks clusters once, and for the fake world of libcorset: the
 * caller adds the clusters, and there is no controller. A connection is made by the first request;
 * none is probed or renewed.
 */
#pragma once

#include "clustercache/clustercache.h"

/*
 * Of the options: network, tls, proxies, user_agent, timeout, qps, burst; with caches also
 * uncached, kinds, indexes, transform.
 */
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

/*
 * Gives an added cluster caches, for cached reads and watches, and waits until every index of the
 * options is synced. Suspends.
 */
MUST_USE struct error *clustercache_static_begin_caches(struct clustercache *cache,
                                                        struct key cluster);

/* What clustercache_get_health() says of an added cluster: the wall clock and the failures. */
void clustercache_static_set_health(struct clustercache *cache, struct key cluster,
                                    const struct clustercache_health *health);
