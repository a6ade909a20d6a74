/*
 * Plans of sets whose objects are not the same on every cluster, because their policy puts values
 * of the Cluster into them (values_fill.h). Pure, but for plan_values_fill_large().
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

/*
 * The same, and work on large plans is done on a worker thread. The plan, the values and the
 * failures stay as they are meanwhile. *ret_plan is NULL if values cannot be put in. Suspends.
 */
MUST_USE struct error *plan_values_fill_large(struct plan *plan, struct key cluster,
                                              const struct values *values,
                                              struct failures *failures, struct plan **ret_plan);

/* What one cluster gets of a plan with many objects takes VALUES_FILL_MAX and the lists of them. */
#define PLAN_VALUES_BOUND_MAX (2 * VALUES_FILL_MAX)

/* The most that a plan with these values may take beside the plan itself, in bytes. */
size_t plan_values_bound(const struct plan *plan, const struct values *values);

/* The same with the values of a Cluster that was read as a whole. */
struct plan *plan_values_fill_from(struct plan *plan, const struct object *cluster,
                                   struct failures *failures);
