/*
 * A fault: one thing that is wrong with a set, with a resource the set names, or with the set on
 * one cluster.
 *
 * Every reconcile that fails describes the failure as a fault. conditions.h turns the faults of a
 * set into its status. A fault has a type, which decides the reason of the condition, and texts for
 * the message.
 *
 * The texts of a fault are borrowed, except those of a fault that fault_replace() wrote: they are
 * copies that fault_done() frees.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* In ascending order of importance to the reader of a condition. */
enum fault_type {
    FAULT_NONE,
    FAULT_BOOKKEEPING, /* an owner reference or a binding could not be written */
    FAULT_PAUSED,      /* the Cluster is paused; shown, but not counted as a failure */
    FAULT_WAITING,     /* another set comes first there; shown, but not counted as a failure */
    FAULT_WAVE,        /* the rollout has not come to the cluster yet; the same */
    FAULT_MISSING,     /* a resource does not exist; shown, but not counted as an error */
    FAULT_UNREADABLE,  /* a resource could not be read from the server */
    FAULT_NO_SERVICE,  /* a cluster before v1.25 lacks its Service; see service_gate.h. Or a UID
                        * cannot be read just now; see identity.h */
    FAULT_CONNECTING,  /* there is no connection to the cluster yet */
    FAULT_NO_CLIENT,   /* there is no connection to the cluster, in spite of several attempts */
    FAULT_NO_SELECTOR, /* the cluster selector cannot be used */
    FAULT_NO_POLICY,   /* the policy of the set is missing or cannot be followed */
    FAULT_ORDER,       /* the sets that the set depends on cannot be told, or form a cycle */
    FAULT_NO_ROOM,     /* the binding of the cluster is full: the set is not applied there */
    FAULT_NOT_APPLIED, /* an object failed, or the content of a resource cannot be used */
    FAULT_UNUSABLE,    /* by the policy of the set no cluster is given a content as it is now */
    FAULT_WRONG_TYPE,  /* a Secret is not of the type for resource sets */
};

struct fault {
    enum fault_type type;
    struct str resource; /* "ConfigMap cm1", "ConfigMap cm1, key a, document 2"; may be empty */
    struct str name;     /* of the resource; may be empty */
    struct str text;     /* why */
};

/*
 * True for a fault that a resource has on its own and that keeps it from every cluster: missing,
 * unreadable or of the wrong type. The set reports such a resource once, and its clusters skip it.
 */
bool fault_is_of_resource(enum fault_type type);

/* True if nothing is wrong: something else comes first. Shown, but not counted as a failure. */
bool fault_is_wait(enum fault_type type);

/* True if the candidate shall be shown instead of the current fault. Of equal types the first
 * stays.
 */
bool fault_is_graver(const struct fault *candidate, const struct fault *current);

/*
 * Replaces *kept by a copy of the fault. Long texts are shortened. Returns false if both say the
 * same, so that the caller need not report it again.
 */
bool fault_replace(struct fault *kept, const struct fault *fault);

/* Frees the copies in a fault that fault_replace() wrote, and clears it. */
void fault_done(struct fault *kept);
