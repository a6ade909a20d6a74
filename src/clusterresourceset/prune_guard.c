#include "clusterresourceset/prune_guard.h"

#include "base/owned.h"

struct str prune_reason_name(enum prune_reason reason)
{
    static const struct str names[PRUNE_REASONS] = {
        [PRUNE_REMOVED] = STR_INIT("Removed"),
        [PRUNE_UNSELECTED] = STR_INIT("Unselected"),
        [PRUNE_DELETED] = STR_INIT("Deleted"),
    };
    return names[reason];
}

enum prune_decision prune_guard_decide(const struct prune_facts *facts, struct str *ret_why)
{
    const bool is_removed = facts->reason == PRUNE_REMOVED;
    const bool is_unselected = facts->reason == PRUNE_UNSELECTED;
    const bool is_deleted = facts->reason == PRUNE_DELETED;
    const bool has_room = facts->clusters <= facts->max_clusters || facts->is_approved;
    const bool is_small = facts->objects <= facts->max_objects || facts->is_approved;
    const struct {
        bool holds;
        enum prune_decision decision;
        struct str why;
    } guards[] = {
        {!facts->is_asked_for,                PRUNE_NEVER, STR("the policy does not ask for it")                },
        {is_deleted && facts->is_moved,       PRUNE_NEVER, STR("clusterctl moves the set")                      },
        {!facts->is_cache_known,              PRUNE_WAIT,  STR("the management cluster is not known yet")       },
        {is_deleted && facts->are_all_paused, PRUNE_NEVER,
         STR("all Clusters of the set are paused")                                                              },
        {!facts->is_there,                    PRUNE_NEVER, STR("there is no such Cluster")                      },
        {facts->is_deleting,                  PRUNE_NEVER, STR("the Cluster is being deleted")                  },
        {facts->is_paused,                    PRUNE_WAIT,  STR("the Cluster is paused")                         },
        {is_unselected && facts->is_selected, PRUNE_NEVER, STR("the set selects the Cluster")                   },
        {is_removed && !facts->is_selected,   PRUNE_NEVER,
         STR("the set does not select the Cluster")                                                             },
        {is_removed && !facts->is_whole,      PRUNE_WAIT,  STR("a resource of the set cannot be used")          },
        {is_removed && !facts->has_objects,   PRUNE_WAIT,
         STR("a resource of the set has no objects")                                                            },
        {is_removed && !facts->is_applied,    PRUNE_WAIT,  STR("the set is not applied in full")                },
        {is_removed && !facts->is_ready,      PRUNE_WAIT,  STR("objects of the set are not ready")              },
        {!facts->is_connected,                PRUNE_WAIT,  STR("there is no connection to the cluster")         },
        {!facts->is_same,                     PRUNE_WAIT,  STR("it is not known whether it is the same cluster")},
        {!is_removed && !has_room,            PRUNE_HOLD,  STR("more clusters than maxClusters")                },
        {!facts->is_listed,                   PRUNE_LOOK,  STR("")                                              },
        {!is_small,                           PRUNE_HOLD,  STR("more objects than maxObjects")                  },
    };
    for (size_t i = 0; i < COUNT(guards); i++)
        if (guards[i].holds) {
            *ret_why = guards[i].why;
            return guards[i].decision;
        }
    *ret_why = STR("");
    return PRUNE_DELETE;
}
