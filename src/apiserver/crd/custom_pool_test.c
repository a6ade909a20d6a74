#include "apiserver/crd/custom_pool.h"

#include "apiserver/crd/custom_internal.h"
#include "apiserver/crd/custom_rig_test.h"
#include "json/edit.h"

static struct custom *get(struct custom_pool *pool, const struct json_doc *definition)
{
    struct custom *custom = NULL;
    CHECK_OK(custom_pool_get(pool, json_doc_root(definition), NULL, &custom));
    return custom;
}

TEST(custom_pool_shares_what_is_the_same)
{
    OWNED(custom_pool) pool = custom_pool_new();
    OWNED(json_doc) one = rig_definition(STR("gadgets.crd.run.example.com"));
    OWNED(json_doc) other = rig_definition(STR("multis.ver.run.example.com"));
    OWNED(json_doc) renamed = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, json_doc_root(one));
    json_edit_set_str(&edit, JSON_PLACE("metadata.labels.a"), STR("b"));
    CHECK_OK(json_edit_finish(&edit, &renamed));

    struct custom *a = get(pool, one), *b = get(pool, renamed), *c = get(pool, other);
    CHECK(a == b);
    CHECK(a != c);
    CHECK_EQ(map_count(&pool->customs), (size_t)2);
    custom_free(a);
    CHECK_EQ(map_count(&pool->customs), (size_t)2);
    custom_free(b);
    CHECK_EQ(map_count(&pool->customs), (size_t)1);
    custom_free(c);
    CHECK_EQ(map_count(&pool->customs), (size_t)0);
}

TEST(custom_pool_may_go_before_its_content)
{
    struct custom_pool *pool = custom_pool_new();
    OWNED(json_doc) definition = rig_definition(STR("gadgets.crd.run.example.com"));
    OWNED(custom) custom = get(pool, definition);
    custom_pool_free(pool);
    CHECK_EQ(custom_kind_count(custom), (size_t)1);
}
