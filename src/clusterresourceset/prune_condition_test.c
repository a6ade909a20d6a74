#include "clusterresourceset/prune_condition.h"

#include "testing/test.h"

TEST(what_is_held_comes_first)
{
    SCOPED(arena) arena = {0};
    struct condition_cluster clusters[] = {
        {STR("c1"), STR("not looked at yet"),              PRUNE_CONDITION_PRUNING},
        {STR("c2"), STR("delete v1 ConfigMap a: refused"), PRUNE_CONDITION_FAILED },
        {STR("c3"), STR("needs approval prune/1: x"),      PRUNE_CONDITION_HELD   },
        {STR("c4"), STR("needs approval prune/1: y"),      PRUNE_CONDITION_HELD   },
    };
    struct prune_condition prune = {.clusters = clusters, .count = 4, .generation = 3};
    struct condition made = prune_condition_make(&prune, &arena);
    CHECK_EQ(made.status, CONDITION_FALSE);
    CHECK_EQ(made.reason, STR("Held"));
    CHECK_EQ(made.observed_generation, (int64_t)3);
    CHECK_EQ(made.message,
             STR("2 clusters held, 1 failed, 1 pruning: c3: needs approval prune/1: x; c4: needs "
                 "approval prune/1: y; c2: delete v1 ConfigMap a: refused; c1: not looked at yet"));
    prune.held = STR("needs approval prune/2: 2 of 10 clusters");
    made = prune_condition_make(&prune, &arena);
    CHECK_EQ(made.message, STR("needs approval prune/2: 2 of 10 clusters"));
}

TEST(nothing_left_may_have_been_kept)
{
    SCOPED(arena) arena = {0};
    struct prune_condition prune = {0};
    CHECK_EQ(prune_condition_make(&prune, &arena).reason, STR("NothingLeft"));
    CHECK_EQ(prune_condition_make(&prune, &arena).message, STR(""));
    prune.kept = 1;
    CHECK_EQ(prune_condition_make(&prune, &arena).message, STR("1 object is kept"));
    prune.kept = 2;
    CHECK_EQ(prune_condition_make(&prune, &arena).message, STR("2 objects are kept"));
    CHECK_EQ(prune_condition_make(&prune, &arena).status, CONDITION_TRUE);
}
