#include "apiserver/openapi_cache.h"

#include "base/arena.h"
#include "testing/sim.h"
#include "testing/test.h"

static struct openapi_asked ask_for(struct arena *arena, struct str group)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    const struct kind **items = arena_alloc_array(arena, count, sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = &kinds[i];
    return (struct openapi_asked){
        OPENAPI_3, {items, count},
         group, STR("v1")
    };
}

SIM_TEST(a_document_is_written_once)
{
    SCOPED(arena) arena = {0};
    OWNED(openapi_cache) cache = openapi_cache_new(OPENAPI_CACHE_MAX);
    OWNED(openapi_document) first = NULL;
    OWNED(openapi_document) second = NULL;
    const struct openapi_asked asked = ask_for(&arena, STR("batch"));
    char hash[SHA256_HEX_LEN + 1];
    CHECK_OK(openapi_cache_prepare(cache));
    CHECK(openapi_cache_hash(cache, &asked, hash));
    CHECK_OK(openapi_cache_get(cache, NULL, &asked, &first));
    CHECK_OK(openapi_cache_get(cache, NULL, &asked, &second));
    CHECK(first == second);
    CHECK_EQ(str_from_c(first->hash), str_from_c(hash));
}

SIM_TEST(documents_are_given_up_when_they_are_too_many)
{
    SCOPED(arena) arena = {0};
    OWNED(openapi_cache) cache = openapi_cache_new(100 * KILOBYTE);
    OWNED(openapi_document) batch = NULL;
    OWNED(openapi_document) node = NULL;
    OWNED(openapi_document) again = NULL;
    const struct openapi_asked large = ask_for(&arena, STR("batch"));
    const struct openapi_asked small = ask_for(&arena, STR("policy"));
    CHECK_OK(openapi_cache_prepare(cache));
    CHECK_OK(openapi_cache_get(cache, NULL, &large, &batch));
    CHECK_OK(openapi_cache_get(cache, NULL, &small, &node));
    CHECK(batch->text.len + node->text.len > 100 * KILOBYTE);
    CHECK_OK(openapi_cache_get(cache, NULL, &large, &again));
    CHECK(again != batch);
    CHECK_EQ(buf_str(&again->text), buf_str(&batch->text));
}

SIM_TEST(a_document_of_no_kind_is_not_there)
{
    SCOPED(arena) arena = {0};
    OWNED(openapi_cache) cache = openapi_cache_new(OPENAPI_CACHE_MAX);
    const struct openapi_asked asked = ask_for(&arena, STR("nosuch.example.com"));
    char hash[SHA256_HEX_LEN + 1];
    CHECK_OK(openapi_cache_prepare(cache));
    CHECK(!openapi_cache_hash(cache, &asked, hash));
}
