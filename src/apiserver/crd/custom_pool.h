/*
 * Compiled definitions, shared by those who have the same: thousands of virtual clusters that
 * install one set of CRDs keep each compiled once.
 *
 * Definitions are the same when their specs are; their metadata and status do not count. The pool
 * holds no reference: a definition that nobody uses goes. All on one thread.
 */
#pragma once

#include "apiserver/crd/custom.h"

struct custom_pool;

struct custom_pool *custom_pool_new(void);

/* What is still in use stays, on its own. */
void custom_pool_free(struct custom_pool *pool);
DEFINE_OWNED(custom_pool)

/* As custom_compile(), or one reference more to what is there already, with the same extension. */
MUST_USE struct error *custom_pool_get(struct custom_pool *pool,
                                       const struct json_value *definition,
                                       const struct custom_extension *extension,
                                       struct custom **ret_custom);
