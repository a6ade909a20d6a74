/*
 * Compiled definitions, shared: thousands of virtual clusters that install the same CRDs keep one
 * compiled form of each.
 *
 * Two definitions are the same when their specs are; metadata and status do not count. The pool
 * holds no references: a crd leaves the pool with its last reference. All on one thread.
 *
 *     TRY(crd_pool_key_of(definition, webhooks, &key));
 *     crd = crd_pool_find(pool, &key);
 *     if (!crd) {
 *         TRY(crd_compile(definition, webhooks, &crd));      or on a worker thread, as the key
 *         crd = crd_pool_put(pool, &key, crd);
 *     }
 */
#pragma once

#include "apiserver/crd/crd.h"
#include "base/sha256.h"

struct crd_pool;

struct crd_pool *crd_pool_new(void);

/* Crds that are still referenced stay valid and leave the pool. */
void crd_pool_free(struct crd_pool *pool);
DEFINE_OWNED(crd_pool)

/* What makes definitions the same. A worker thread may compute it. */
struct crd_pool_key {
    uint8_t spec[SHA256_LEN]; /* see crd_spec_digest() */
    uint8_t digest[SHA256_LEN];
};

/* The SHA-256 of a definition's spec in canonical form. */
MUST_USE struct error *crd_spec_digest(const struct json_value *definition,
                                       uint8_t ret_digest[static SHA256_LEN]);

MUST_USE struct error *crd_pool_key_of(const struct json_value *definition,
                                       const struct crd_webhooks *webhooks,
                                       struct crd_pool_key *ret_key);

/* One more reference to the crd of the key; NULL when there is none. */
struct crd *crd_pool_find(const struct crd_pool *pool, const struct crd_pool_key *key);

/* Takes a crd that was compiled for the key. Gives the one that the pool has, which may be older.
 */
struct crd *crd_pool_put(struct crd_pool *pool, const struct crd_pool_key *key, struct crd *crd);
