/*
 * What a set with prune.when: Removed would delete on a cluster, once the content that is planned
 * is applied there: by the same lists, and the same judgement of each object, as when it is done.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "clusterresourceset/preview/preview_cluster.h"

/* Whether anything may be left to delete, by the record: lists have to be read then. */
bool preview_prune_is_due(const struct preview_set *set, const struct object *binding);

/*
 * Adds what would be deleted. Errors are those of the cluster, and the result lacks what they kept
 * from being known. Suspends.
 */
MUST_USE struct error *preview_prune_ask(const struct preview_cluster *cluster,
                                         const struct preview_set *set,
                                         const struct object *binding,
                                         struct preview_result *result);
