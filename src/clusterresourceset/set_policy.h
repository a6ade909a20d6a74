/*
 * The policy that a set is delivered by, or why nothing of the set is applied. The controllers and
 * corset plan both decide by it.
 */
#pragma once

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/types/delivery_policy.h"

/* Reads a policy. Its errors are those of policy_store_get(). May suspend. */
struct set_policy_reader {
    struct error *(*read)(void *data, struct key key, struct delivery_policy **ret_policy);
    void *data;
};

/*
 * Gives the plan of a set the policy that the set names. *ret_problem says why the set cannot be
 * worked on by it, in the arena; empty: it can, or it names none. An error may pass by itself, and
 * comes with a problem. Suspends if the reader does.
 */
MUST_USE struct error *set_policy_find(const struct object *set, struct plan *plan,
                                       const struct set_policy_reader *reader, struct arena *arena,
                                       struct str *ret_problem);
