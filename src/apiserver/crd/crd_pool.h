/*
 * Compiled definitions, shared: thousands of virtual clusters that install the same CRDs keep one
 * compiled form of each.
 *
 * Two definitions are the same when their specs are; metadata and status do not count. The pool
 * holds no references: a crd leaves the pool with its last reference. All on one thread.
 */
#pragma once

#include "apiserver/crd/crd.h"

struct crd_pool;

struct crd_pool *crd_pool_new(void);

/* Crds that are still referenced stay valid and leave the pool. */
void crd_pool_free(struct crd_pool *pool);
DEFINE_OWNED(crd_pool)

/* As crd_compile(), or one more reference to a crd of the same spec and the same webhooks. */
MUST_USE struct error *crd_pool_get(struct crd_pool *pool, const struct json_value *definition,
                                    const struct crd_webhooks *webhooks, struct crd **ret_crd);
