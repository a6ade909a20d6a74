/*
 * The state of a set on one cluster, in the words of corset status and of the metrics. Both decide
 * it here, each from the facts that it has: the controllers know their placements, corset status
 * reads conditions and bindings. Pure.
 *
 * A set that names a resource which is missing, cannot be read or is a Secret of the wrong type has
 * failed on every cluster that it selects, also where the resource was applied before: somebody has
 * to mend it, and until then nobody looks after what the resource brought.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "clusterresourceset/health.h"
#include "clusterresourceset/types/delivery.h"

/* In ascending order of importance: the gravest one of its sets is the state of a cluster. */
enum placement_state {
    PLACEMENT_STATE_IDLE, /* of a cluster that no set selects */
    PLACEMENT_STATE_APPLIED,
    PLACEMENT_STATE_DELETING,
    PLACEMENT_STATE_PAUSED,
    PLACEMENT_STATE_PRUNING,   /* applied, and objects that are no longer wanted go */
    PLACEMENT_STATE_SETTLING,  /* applied, and the policy waits until objects are ready */
    PLACEMENT_STATE_WAITING,   /* not applied yet by the newest spec and resources, or other sets
                                * come first there */
    PLACEMENT_STATE_HELD,      /* applied, and somebody has to agree before objects are deleted */
    PLACEMENT_STATE_DRIFTED,   /* applied, but somebody has changed objects since */
    PLACEMENT_STATE_CONTESTED, /* the same, after every repair */
    PLACEMENT_STATE_UNREACHABLE,
    PLACEMENT_STATE_FAILED,
    PLACEMENT_STATES,
};

struct str placement_state_name(enum placement_state state);

struct placement_facts {
    bool is_deleting; /* the set */
    bool is_paused;   /* the set or the Cluster */
    bool is_unreachable;
    bool has_failed;     /* the last attempt */
    bool lacks_resource; /* a resource of the set is missing or cannot be used */
    bool is_waiting;     /* something is still to be applied */
    enum delivery_drift drift;
    enum health_state health;
    enum delivery_prune_state prune;
};

enum placement_state placement_state_decide(const struct placement_facts *facts);
