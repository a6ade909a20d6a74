/*
 * Plans of sets whose objects are not the same on every cluster, because their policy puts values
 * of the Cluster into them (values_fill.h). Pure.
 */
#pragma once

#include "apimachinery/key.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/types/failures.h"

/*
 * The plan for one cluster: a new reference to the plan itself if all clusters get the same. NULL
 * if values cannot be put in; the failures, none before, say which and why. A plan for one cluster
 * stays as it is.
 */
struct plan *plan_values_fill(struct plan *plan, struct key cluster, const struct values *values,
                              struct failures *failures);

/* The same with the values of a Cluster that was read as a whole. */
struct plan *plan_values_fill_from(struct plan *plan, const struct object *cluster,
                                   struct failures *failures);
