/*
 * What becomes of one object that a cluster has, when objects of a set are deleted there. Pure.
 *
 * An object is the set's if the set's field manager has an entry with the operation Apply in its
 * metadata.managedFields. Its labels say nothing: others copy them to what they make.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/object.h"
#include "base/str.h"
#include "clusterresourceset/types/delivery_policy.h"

enum prune_verdict {
    PRUNE_FOREIGN, /* not the set's */
    PRUNE_WANTED,  /* a resource of the set has it */
    PRUNE_SHARED,  /* another set has fields of it as well: the set gives up its own */
    PRUNE_KEPT,    /* of a protected kind, or annotated corset.dev/keep */
    PRUNE_DOOMED,  /* to be deleted */
};

/* live is the object, or its metadata; manager the field manager of the set. */
enum prune_verdict prune_judge(const struct object *live, struct str group, struct str kind,
                               struct str manager, bool is_wanted,
                               const struct delivery_policy *policy);
