/*
 * The pool is a map from the SHA-256 of a definition's canonical spec and of the webhooks' address
 * to a crd. Map entries are weak references: crd_free() removes the entry with the last reference.
 */
#include "apiserver/crd/crd_pool.h"

#include <string.h>

#include "apiserver/crd/crd_internal.h"
#include "base/map.h"
#include "base/memory.h"
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

struct error *crd_spec_digest(const struct json_value *definition,
                              uint8_t ret_digest[static SHA256_LEN])
{
    SCOPED(buf) text = {.limit = 0};
    json_write_canonical_exact(&text, json_get(definition, STR("spec")));
    TRY(buf_check(&text), "write definition");
    sha256_of(buf_str(&text), ret_digest);
    return NULL;
}

struct error *crd_pool_key_of(const struct json_value *definition,
                              const struct crd_webhooks *webhooks, struct crd_pool_key *ret_key)
{
    SCOPED(buf) text = {.limit = 0};
    TRY(crd_spec_digest(definition, ret_key->spec));
    buf_add(&text, str_from((const char *)ret_key->spec, SHA256_LEN));
    buf_print(&text, "%p", (const void *)webhooks);
    sha256_of(buf_str(&text), ret_key->digest);
    return NULL;
}

static struct str key_str(const struct crd_pool_key *key)
{
    return str_from((const char *)key->digest, sizeof(key->digest));
}

struct crd *crd_pool_find(const struct crd_pool *pool, const struct crd_pool_key *key)
{
    struct crd *crd = map_find(&pool->crds, key_str(key));
    return crd ? crd_ref(crd) : NULL;
}

struct crd *crd_pool_put(struct crd_pool *pool, const struct crd_pool_key *key, struct crd *crd)
{
    OWNED(crd) taken = crd;
    struct crd *found = crd_pool_find(pool, key);
    if (found)
        return found;
    crd->pool = pool;
    memcpy(crd->spec_digest, key->spec, sizeof(crd->spec_digest));
    crd->pool_key = arena_str(&crd->arena, key_str(key));
    map_put(&pool->crds, key_str(key), crd);
    return TAKE(taken);
}
