#include "clusterresourceset/prune_token.h"

#include "testing/test.h"

TEST(a_token_is_good_for_one_occasion)
{
    SCOPED(arena) arena = {0};
    const struct str clusters[] = {STR("c2"), STR("c1")}, sorted[] = {STR("c1"), STR("c2")};
    const struct str token =
        prune_token(&arena, STR("u"), PRUNE_UNSELECTED, STR("9f2c01aa77de"), clusters, 2);
    CHECK_EQ(token.len, (size_t)18);
    CHECK(str_starts_with(token, STR("prune/")));
    CHECK_EQ(prune_token(&arena, STR("u"), PRUNE_UNSELECTED, STR("9f2c01aa77de"), sorted, 2),
             token);
    const struct str others[] = {
        prune_token(&arena, STR("v"), PRUNE_UNSELECTED, STR("9f2c01aa77de"), sorted, 2),
        prune_token(&arena, STR("u"), PRUNE_DELETED, STR("9f2c01aa77de"), sorted, 2),
        prune_token(&arena, STR("u"), PRUNE_UNSELECTED, STR("9f2c01aa77df"), sorted, 2),
        prune_token(&arena, STR("u"), PRUNE_UNSELECTED, STR("9f2c01aa77de"), sorted, 1),
        prune_token(&arena, STR("u"), PRUNE_REMOVED, STR("9f2c01aa77de"), NULL, 0),
    };
    for (size_t i = 0; i < COUNT(others); i++)
        CHECK(!str_eq(others[i], token));
}
