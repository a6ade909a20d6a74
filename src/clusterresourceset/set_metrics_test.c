#include "clusterresourceset/set_metrics.h"

#include "testing/test.h"

TEST(the_state_of_a_set_on_a_cluster_is_the_first_that_holds)
{
    const struct {
        const char *name;
        struct set_metrics_facts facts;
        enum set_metrics_state state;
    } cases[] = {
        {"all is well",                            {.is_connected = true, .is_reconciled = true},   SET_METRICS_APPLIED    },
        {"not looked at yet",                      {.is_connected = true},                          SET_METRICS_WAITING    },
        {"an object failed",
         {.is_connected = true, .is_reconciled = true, .fault = FAULT_NOT_APPLIED},
         SET_METRICS_FAILED                                                                                                },
        {"a fault stays until known",
         {.is_connected = true, .fault = FAULT_BOOKKEEPING},
         SET_METRICS_FAILED                                                                                                },
        {"a resource is missing",
         {.is_connected = true, .is_reconciled = true, .lacks_resource = true},
         SET_METRICS_FAILED                                                                                                },
        {"applied, then lost",                     {.is_reconciled = true},                         SET_METRICS_UNREACHABLE},
        {"there was no connection",
         {.is_connected = true, .is_reconciled = true, .fault = FAULT_NO_CLIENT},
         SET_METRICS_UNREACHABLE                                                                                           },
        {"another set comes first",
         {.is_connected = true, .is_reconciled = true, .fault = FAULT_WAITING},
         SET_METRICS_WAITING                                                                                               },
        {"somebody changed an object",
         {.is_connected = true, .is_reconciled = true, .drift = DELIVERY_DRIFTED},
         SET_METRICS_DRIFTED                                                                                               },
        {"after every repair",
         {.is_connected = true, .is_reconciled = true, .drift = DELIVERY_CONTESTED},
         SET_METRICS_CONTESTED                                                                                             },
        {"changed, and failed since",
         {.is_connected = true,
          .is_reconciled = true,
          .drift = DELIVERY_DRIFTED,
          .fault = FAULT_NOT_APPLIED},
         SET_METRICS_FAILED                                                                                                },
        {"not everything is ready yet",
         {.is_connected = true, .is_reconciled = true, .health = HEALTH_SETTLING},
         SET_METRICS_SETTLING                                                                                              },
        {"not ready in time",
         {.is_connected = true, .is_reconciled = true, .health = HEALTH_FAILED},
         SET_METRICS_FAILED                                                                                                },
        {"was not ready, and something new comes",
         {.is_connected = true, .health = HEALTH_FAILED},
         SET_METRICS_WAITING                                                                                               },
        {"paused and failed",                      {.is_paused = true, .fault = FAULT_NOT_APPLIED}, SET_METRICS_PAUSED     },
        {"deleted while paused",                   {.is_paused = true, .is_deleting = true},        SET_METRICS_DELETING   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ((int)set_metrics_decide(&cases[i].facts), (int)cases[i].state);
    }
}
