#include "clusterresourceset/rollout_condition.h"

#include "testing/test.h"

TEST(the_condition_says_how_far_the_rollout_is)
{
    static const struct {
        enum rollout_phase phase;
        const char *message;
    } cases[] = {
        {ROLLOUT_ROLLING,              "3 of 9 clusters have revision 9f2c01aa77de, 1 failed; wave early has 4 "
                          "clusters, 2 of them not finished"        },
        {ROLLOUT_SOAKING,              "3 of 9 clusters have revision 9f2c01aa77de, 1 failed; wave early soaks "
                          "until 1970-01-01T00:01:00Z"              },
        {ROLLOUT_WAITING_FOR_APPROVAL,
         "3 of 9 clusters have revision 9f2c01aa77de, 1 failed; wave early waits for the token "
         "9f2c01aa77de/early in the annotation corset.dev/approve"                           },
        {ROLLOUT_HALTED,               "3 of 9 clusters have revision 9f2c01aa77de, 1 failed, and 0 may; halted "
                         "in wave early"                             },
        {ROLLOUT_ROLLED_OUT,           "3 of 9 clusters have revision 9f2c01aa77de, 1 failed"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        const struct rollout_decision decision = {
            .state = {.phase = cases[i].phase, .revision = "9f2c01aa77de", .wave = "early"},
            .soaks_until = MINUTE,
            .counts = { .clusters = 9, .done = 3,                          .failed = 1,     .in_wave = 4, .behind = 2},
        };
        const struct condition made = rollout_condition_make(&decision, 7, &arena);
        CHECK_EQ(made.type, STR("RolledOut"));
        CHECK_EQ(made.reason, rollout_phase_name(cases[i].phase));
        CHECK_EQ(made.status,
                 cases[i].phase == ROLLOUT_ROLLED_OUT ? CONDITION_TRUE : CONDITION_FALSE);
        CHECK_EQ(made.message, str_from_c(cases[i].message));
        CHECK_EQ(made.observed_generation, 7);
    }
}

TEST(a_rollout_that_nobody_has_looked_at_has_not_begun)
{
    SCOPED(arena) arena = {0};
    const struct condition made = rollout_condition_make(NULL, 7, &arena);
    CHECK_EQ(made.status, CONDITION_FALSE);
    CHECK_EQ(made.reason, STR("Rolling"));
    CHECK_EQ(made.message, STR("the rollout has not begun"));
}
