#include "apiserver/crd/custom_pool.h"

#include "apiserver/crd/custom_internal.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "json/compare.h"

struct custom_pool *custom_pool_new(void)
{
    return NEW(struct custom_pool);
}

void custom_pool_free(struct custom_pool *pool)
{
    if (!pool)
        return;
    MAP_FOREACH (entry, &pool->customs)
        ((struct custom *)entry->value)->pool = NULL;
    map_done(&pool->customs);
    mem_free(pool);
}

void custom_pool_forget(struct custom_pool *pool, struct str key)
{
    map_remove(&pool->customs, key);
}

struct error *custom_pool_get(struct custom_pool *pool, const struct json_value *definition,
                              const struct custom_extension *extension, struct custom **ret_custom)
{
    SCOPED(buf) text = {.limit = 0};
    uint8_t digest[SHA256_LEN];
    const struct str key = str_from((const char *)digest, sizeof(digest));
    json_write_canonical_exact(&text, json_get(definition, STR("spec")));
    buf_print(&text, "%p", (const void *)extension);
    TRY(buf_check(&text), "write definition");
    sha256_of(buf_str(&text), digest);
    struct custom *custom = map_find(&pool->customs, key);
    if (custom) {
        *ret_custom = custom_ref(custom);
        return NULL;
    }
    TRY(custom_compile(definition, extension, &custom));
    custom->pool = pool;
    custom->pool_key = arena_str(&custom->arena, key);
    map_put(&pool->customs, key, custom);
    *ret_custom = custom;
    return NULL;
}
