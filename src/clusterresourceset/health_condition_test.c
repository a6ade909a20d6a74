#include "clusterresourceset/health_condition.h"

#include "testing/test.h"

TEST(the_condition_says_which_clusters_are_not_ready)
{
    SCOPED(arena) arena = {0};
    struct condition_cluster all[] = {
        {STR_INIT("c"), STR_INIT("why"),         HEALTH_CONDITION_SETTLING },
        {STR_INIT("b"), STR_INIT("not applied"), HEALTH_CONDITION_UNAPPLIED},
        {STR_INIT("d"), STR_INIT("why"),         HEALTH_CONDITION_FAILED   },
    };
    struct condition made = health_condition_make(all, 0, 9, 7, &arena);
    CHECK_EQ(made.type, STR("Ready"));
    CHECK_EQ(made.status, CONDITION_TRUE);
    CHECK_EQ(made.reason, STR("AllReady"));
    CHECK_EQ(made.message, STR(""));
    CHECK_EQ(made.observed_generation, 7);

    TEST_CASE("one settles");
    made = health_condition_make(all, 1, 9, 7, &arena);
    CHECK_EQ(made.status, CONDITION_FALSE);
    CHECK_EQ(made.reason, STR("NotReady"));
    CHECK_EQ(made.message, STR("1 of 9 clusters is not ready: c: why"));

    TEST_CASE("the gravest comes first");
    made = health_condition_make(all, COUNT(all), 9, 7, &arena);
    CHECK_EQ(made.message,
             STR("3 of 9 clusters are not ready, 1 of them not in time, 1 of them not applied: d: "
                 "why; c: why; b: not applied"));
}
