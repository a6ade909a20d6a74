/*
 * The pool is a map from the SHA-256 of a definition's canonical spec and of the webhooks' address
 * to a crd. Map entries are weak references: crd_free() removes the entry with the last reference.
 */
#include "apiserver/crd/crd_pool.h"

#include "apiserver/crd/crd_internal.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "json/compare.h"

struct crd_pool *crd_pool_new(void)
{
    return NEW(struct crd_pool);
}

void crd_pool_free(struct crd_pool *pool)
{
    if (!pool)
        return;
    MAP_FOREACH (entry, &pool->crds)
        ((struct crd *)entry->value)->pool = NULL;
    map_done(&pool->crds);
    mem_free(pool);
}

void crd_pool_forget(struct crd_pool *pool, struct str key)
{
    map_remove(&pool->crds, key);
}

struct error *crd_pool_get(struct crd_pool *pool, const struct json_value *definition,
                           const struct crd_webhooks *webhooks, struct crd **ret_custom)
{
    SCOPED(buf) text = {.limit = 0};
    uint8_t digest[SHA256_LEN];
    const struct str key = str_from((const char *)digest, sizeof(digest));
    json_write_canonical_exact(&text, json_get(definition, STR("spec")));
    buf_print(&text, "%p", (const void *)webhooks);
    TRY(buf_check(&text), "write definition");
    sha256_of(buf_str(&text), digest);
    struct crd *crd = map_find(&pool->crds, key);
    if (crd) {
        *ret_custom = crd_ref(crd);
        return NULL;
    }
    TRY(crd_compile(definition, webhooks, &crd));
    crd->pool = pool;
    crd->pool_key = arena_str(&crd->arena, key);
    map_put(&pool->crds, key, crd);
    *ret_custom = crd;
    return NULL;
}
