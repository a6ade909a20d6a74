#include "clusterresourceset/placement_state.h"

#include "base/owned.h"

struct str placement_state_name(enum placement_state state)
{
    static const struct str names[] = {
        [PLACEMENT_STATE_IDLE] = STR_INIT("idle"),
        [PLACEMENT_STATE_APPLIED] = STR_INIT("applied"),
        [PLACEMENT_STATE_DELETING] = STR_INIT("deleting"),
        [PLACEMENT_STATE_PAUSED] = STR_INIT("paused"),
        [PLACEMENT_STATE_PRUNING] = STR_INIT("pruning"),
        [PLACEMENT_STATE_SETTLING] = STR_INIT("settling"),
        [PLACEMENT_STATE_WAITING] = STR_INIT("waiting"),
        [PLACEMENT_STATE_HELD] = STR_INIT("held"),
        [PLACEMENT_STATE_DRIFTED] = STR_INIT("drifted"),
        [PLACEMENT_STATE_CONTESTED] = STR_INIT("contested"),
        [PLACEMENT_STATE_UNREACHABLE] = STR_INIT("unreachable"),
        [PLACEMENT_STATE_FAILED] = STR_INIT("failed"),
    };
    return names[state];
}

/* The first rule that holds decides. */
enum placement_state placement_state_decide(const struct placement_facts *facts)
{
    const struct {
        bool holds;
        enum placement_state state;
    } rules[] = {
        {facts->is_deleting,                         PLACEMENT_STATE_DELETING   },
        {facts->is_paused,                           PLACEMENT_STATE_PAUSED     },
        {facts->is_unreachable,                      PLACEMENT_STATE_UNREACHABLE},
        {facts->has_failed || facts->lacks_resource, PLACEMENT_STATE_FAILED     },
        {facts->is_waiting,                          PLACEMENT_STATE_WAITING    },
        {facts->drift == DELIVERY_CONTESTED,         PLACEMENT_STATE_CONTESTED  },
        {facts->drift == DELIVERY_DRIFTED,           PLACEMENT_STATE_DRIFTED    },
        {facts->health == HEALTH_FAILED,             PLACEMENT_STATE_FAILED     },
        {facts->prune == DELIVERY_PRUNE_HELD,        PLACEMENT_STATE_HELD       },
        {facts->health == HEALTH_SETTLING,           PLACEMENT_STATE_SETTLING   },
        {facts->prune >= DELIVERY_PRUNE_PRUNING,     PLACEMENT_STATE_PRUNING    },
    };
    for (size_t i = 0; i < COUNT(rules); i++)
        if (rules[i].holds)
            return rules[i].state;
    return PLACEMENT_STATE_APPLIED;
}
