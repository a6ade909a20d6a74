/*
 * Compiled definitions, shared by those who have the same: thousands of virtual clusters that
 * install one set of CRDs keep each compiled once.
 *
 * Definitions are the same when their specs are; their metadata and status do not count. The pool
 * holds no reference: a definition that nobody uses goes. All on one thread.
 */
#pragma once

#include "apiserver/crd/crd.h"

struct crd_pool;

struct crd_pool *crd_pool_new(void);

/* What is still in use stays, on its own. */
void crd_pool_free(struct crd_pool *pool);
DEFINE_OWNED(crd_pool)

/* As crd_compile(), or one reference more to what is there already, with the same extension. */
MUST_USE struct error *crd_pool_get(struct crd_pool *pool, const struct json_value *definition,
                                    const struct crd_webhooks *webhooks, struct crd **ret_custom);
