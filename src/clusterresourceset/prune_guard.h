/*
 * The guards of prune: whether objects of a set may be deleted on a cluster. Pure.
 *
 * Nothing is deleted from an absence. A resource that is missing, a list that was not read to its
 * end, a Cluster that cannot be asked and a record that is lost all look like something that is no
 * longer wanted. So every fact has to be known and has to speak for it: a fact that is left out is
 * false, and false holds everything back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Why objects of a set are no longer wanted on a cluster; as in prune.when of a policy. */
enum prune_reason {
    PRUNE_REMOVED,    /* no resource of the set has them any more */
    PRUNE_UNSELECTED, /* the set does not select the cluster any more */
    PRUNE_DELETED,    /* the set is being deleted */
    PRUNE_REASONS,
};

/* "Removed", as in a policy. */
struct str prune_reason_name(enum prune_reason reason);

struct prune_facts {
    enum prune_reason reason;
    bool is_asked_for;   /* the policy names the reason */
    bool is_cache_known; /* everything that the management cluster has is known since the start */

    /* Of the set. */
    bool is_whole;       /* no resource is missing, unreadable, of the wrong type or unparsable */
    bool has_objects;    /* every resource has some */
    bool is_moved;       /* clusterctl move deletes it here */
    bool are_all_paused; /* every Cluster that has something of the set is paused */

    /* Of the Cluster, by a fresh copy. */
    bool is_there, is_deleting, is_paused, is_selected;

    /* Of the cluster. */
    bool is_same; /* it is known to be the one that the record is about */
    bool is_connected;
    bool is_applied; /* the revision of the set, in full */
    bool is_ready;   /* the same, or the policy does not ask for health */
    bool is_listed;  /* every page of every kind was read: the number of objects is known */

    size_t objects, max_objects;   /* to be deleted there */
    size_t clusters, max_clusters; /* that lose the set at once */
    bool is_approved;              /* somebody agreed to this occasion */
};

enum prune_decision {
    PRUNE_NEVER, /* nothing is deleted on this occasion, and nothing is waited for */
    PRUNE_WAIT,  /* nothing is deleted before the fact has changed */
    PRUNE_HOLD,  /* nothing is deleted before somebody agrees */
    PRUNE_LOOK,  /* lists have to be read first */
    PRUNE_DELETE,
};

/* The first guard that holds decides. *ret_why is what it says, for people; empty: none holds. */
enum prune_decision prune_guard_decide(const struct prune_facts *facts, struct str *ret_why);
