/*
 * The objects of a plan as one cluster names them: kinds are looked up there, and objects that need
 * a namespace have one. The plan has a policy.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/plan.h"

struct drift_object {
    struct str id;   /* "group/kind ns/name" */
    struct str kind; /* "group/kind" */
    struct key key;
    const struct discovery_mapping *mapping; /* NULL: the cluster does not have the kind */
    struct delivery_policy_texts ignored;    /* paths that others may change */
    size_t resource, item;                   /* the place in the plan */
    const struct apply_item *manifest;
};

struct drift_objects {
    struct drift_object *items;
    size_t count;
};

/* Whether an object with this manifest is not looked at. */
typedef bool drift_objects_leave_out_fn(const struct object *manifest);

/* Texts are in the arena or borrowed from the plan. Suspends. */
MUST_USE struct error *drift_objects_read(const struct plan *plan,
                                          drift_objects_leave_out_fn *leaves_out,
                                          struct discovery *discovery, struct arena *arena,
                                          struct drift_objects *ret_objects);
