#include "apiserver/crd/crd_pool.h"

#include "apiserver/crd/crd_fixture_test.h"
#include "apiserver/crd/crd_internal.h"
#include "json/edit.h"

static struct crd *get(struct crd_pool *pool, const struct json_doc *definition)
{
    const struct json_value *root = json_doc_root(definition);
    struct crd_pool_key key;
    CHECK_OK(crd_pool_key_of(root, NULL, &key));
    struct crd *crd = crd_pool_find(pool, &key);
    if (crd)
        return crd;
    CHECK_OK(crd_compile(root, NULL, &crd));
    return crd_pool_put(pool, &key, crd);
}

/* As when two APIs compile the same definition at the same time, each on a worker thread. */
TEST(crd_pool_keeps_the_first_of_two)
{
    OWNED(crd_pool) pool = crd_pool_new();
    OWNED(json_doc) definition = fixture_definition(STR("gadgets.crd.run.example.com"));
    OWNED(crd) first = get(pool, definition);
    struct crd_pool_key key;
    struct crd *second = NULL;
    CHECK_OK(crd_pool_key_of(json_doc_root(definition), NULL, &key));
    CHECK_OK(crd_compile(json_doc_root(definition), NULL, &second));
    second = crd_pool_put(pool, &key, second);
    CHECK(second == first);
    crd_free(second);
    CHECK_EQ(map_count(&pool->crds), (size_t)1);
}

TEST(crd_pool_shares_what_is_the_same)
{
    OWNED(crd_pool) pool = crd_pool_new();
    OWNED(json_doc) one = fixture_definition(STR("gadgets.crd.run.example.com"));
    OWNED(json_doc) other = fixture_definition(STR("multis.ver.run.example.com"));
    OWNED(json_doc) renamed = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(one));
    json_edit_set_str(&edit, JSON_PLACE("metadata.labels.a"), STR("b"));
    CHECK_OK(json_edit_finish(&edit, &renamed));

    struct crd *a = get(pool, one), *b = get(pool, renamed), *c = get(pool, other);
    CHECK(a == b);
    CHECK(a != c);
    CHECK_EQ(map_count(&pool->crds), (size_t)2);
    crd_free(a);
    CHECK_EQ(map_count(&pool->crds), (size_t)2);
    crd_free(b);
    CHECK_EQ(map_count(&pool->crds), (size_t)1);
    crd_free(c);
    CHECK_EQ(map_count(&pool->crds), (size_t)0);
}

TEST(crd_pool_may_go_before_its_content)
{
    struct crd_pool *pool = crd_pool_new();
    OWNED(json_doc) definition = fixture_definition(STR("gadgets.crd.run.example.com"));
    OWNED(crd) crd = get(pool, definition);
    crd_pool_free(pool);
    CHECK_EQ(crd_kind_count(crd), (size_t)1);
}
