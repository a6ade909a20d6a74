#include "clusterresourceset/drift_condition.h"

#include "clusterresourceset/types/delivery.h"
#include "testing/test.h"

#define CLUSTER(name, state)                   \
    {                                          \
        STR_INIT(name), STR_INIT("why"), state \
    }

TEST(the_condition_says_which_clusters_drifted)
{
    SCOPED(arena) arena = {0};
    struct condition_cluster all[] = {
        CLUSTER("c", DELIVERY_DRIFTED),   CLUSTER("b", DELIVERY_DRIFTED),
        CLUSTER("d", DELIVERY_CONTESTED), CLUSTER("e", DELIVERY_DRIFTED),
        CLUSTER("f", DELIVERY_DRIFTED),   CLUSTER("g", DELIVERY_DRIFTED),
    };
    struct condition made = drift_condition_make(all, 0, 9, 7, &arena);
    CHECK_EQ(made.type, STR("DriftFree"));
    CHECK_EQ(made.status, CONDITION_TRUE);
    CHECK_EQ(made.reason, STR("NoDrift"));
    CHECK_EQ(made.message, STR(""));
    CHECK_EQ(made.observed_generation, 7);

    TEST_CASE("two drifted");
    made = drift_condition_make(all, 2, 9, 7, &arena);
    CHECK_EQ(made.status, CONDITION_FALSE);
    CHECK_EQ(made.reason, STR("Drifted"));
    CHECK_EQ(made.message, STR("2 of 9 clusters drifted: b: why; c: why"));

    TEST_CASE("many, and one is contested");
    made = drift_condition_make(all, COUNT(all), 9, 7, &arena);
    CHECK_EQ(made.reason, STR("Contested"));
    CHECK_EQ(made.message,
             STR("6 of 9 clusters drifted, 1 of them is contested: d: why; b: why; c: "
                 "why; e: why; f: why; and 1 more"));
}

TEST(the_condition_is_unknown_where_nobody_could_look)
{
    SCOPED(arena) arena = {0};
    struct condition_cluster all[] = {
        CLUSTER("b", DELIVERY_UNDRIFTED),
        CLUSTER("a", DELIVERY_UNDRIFTED),
        CLUSTER("c", DELIVERY_DRIFTED),
    };
    struct condition made = drift_condition_make(all, 2, 9, 7, &arena);
    CHECK_EQ(made.status, CONDITION_UNKNOWN);
    CHECK_EQ(made.reason, STR("NotChecked"));
    CHECK_EQ(made.message, STR("2 of 9 clusters not checked: a: why; b: why"));

    TEST_CASE("another one has drifted");
    made = drift_condition_make(all, COUNT(all), 9, 7, &arena);
    CHECK_EQ(made.status, CONDITION_FALSE);
    CHECK_EQ(made.reason, STR("Drifted"));
    CHECK_EQ(made.message, STR("1 of 9 clusters drifted, 2 not checked: c: why; a: why; b: why"));
}
