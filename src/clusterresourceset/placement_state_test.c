#include "clusterresourceset/placement_state.h"

#include "testing/test.h"

TEST(the_state_of_a_set_on_a_cluster_is_the_first_that_holds)
{
    const struct {
        const char *name;
        struct placement_facts facts;
        enum placement_state state;
    } cases[] = {
        {"all is well",                            {0},                                     PLACEMENT_STATE_APPLIED    },
        {"not looked at yet",                      {.is_waiting = true},                    PLACEMENT_STATE_WAITING    },
        {"an object failed",                       {.has_failed = true},                    PLACEMENT_STATE_FAILED     },
        {"a fault stays until known",
         {.has_failed = true, .is_waiting = true},
         PLACEMENT_STATE_FAILED                                                                                        },
        {"a resource is missing",
         {.lacks_resource = true, .is_waiting = true},
         PLACEMENT_STATE_FAILED                                                                                        },
        {"a resource went that was applied",       {.lacks_resource = true},                PLACEMENT_STATE_FAILED     },
        {"applied, then lost",                     {.is_unreachable = true},                PLACEMENT_STATE_UNREACHABLE},
        {"failed, then lost",
         {.is_unreachable = true, .has_failed = true, .lacks_resource = true},
         PLACEMENT_STATE_UNREACHABLE                                                                                   },
        {"somebody changed an object",             {.drift = DELIVERY_DRIFTED},             PLACEMENT_STATE_DRIFTED    },
        {"after every repair",                     {.drift = DELIVERY_CONTESTED},           PLACEMENT_STATE_CONTESTED  },
        {"changed, and failed since",
         {.drift = DELIVERY_DRIFTED, .has_failed = true},
         PLACEMENT_STATE_FAILED                                                                                        },
        {"not everything is ready yet",            {.health = HEALTH_SETTLING},             PLACEMENT_STATE_SETTLING   },
        {"not ready in time",                      {.health = HEALTH_FAILED},               PLACEMENT_STATE_FAILED     },
        {"changed, and not ready in time",
         {.drift = DELIVERY_DRIFTED, .health = HEALTH_FAILED},
         PLACEMENT_STATE_DRIFTED                                                                                       },
        {"was not ready, and something new comes",
         {.is_waiting = true, .health = HEALTH_FAILED},
         PLACEMENT_STATE_WAITING                                                                                       },
        {"objects go",                             {.prune = DELIVERY_PRUNE_PRUNING},       PLACEMENT_STATE_PRUNING    },
        {"objects cannot go",                      {.prune = DELIVERY_PRUNE_FAILED},        PLACEMENT_STATE_PRUNING    },
        {"not looked at yet what may go",          {.prune = DELIVERY_PRUNE_DUE},           PLACEMENT_STATE_APPLIED    },
        {"objects are kept",                       {.prune = DELIVERY_PRUNE_DONE},          PLACEMENT_STATE_APPLIED    },
        {"somebody has to agree",                  {.prune = DELIVERY_PRUNE_HELD},          PLACEMENT_STATE_HELD       },
        {"changed, and somebody has to agree",
         {.drift = DELIVERY_DRIFTED, .prune = DELIVERY_PRUNE_HELD},
         PLACEMENT_STATE_DRIFTED                                                                                       },
        {"paused and failed",                      {.is_paused = true, .has_failed = true}, PLACEMENT_STATE_PAUSED     },
        {"deleted while paused",
         {.is_paused = true, .is_deleting = true},
         PLACEMENT_STATE_DELETING                                                                                      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ((int)placement_state_decide(&cases[i].facts), (int)cases[i].state);
    }
}
