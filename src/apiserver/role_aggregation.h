/*
 * The rules of aggregated ClusterRoles, kept in the store as the controller of Kubernetes keeps
 * them (pkg/controller/clusterroleaggregation).
 *
 * A ClusterRole with an aggregationRule has the rules of all ClusterRoles that its selectors match.
 * struct rbac resolves such a role for each decision and does not read the stored rules; they are
 * written for clients that GET the role.
 */
#pragma once

#include "apiserver/storage/store.h"

struct api;

/*
 * Brings the stored rules of all aggregated ClusterRoles up to date. Failures are logged; the next
 * change of a ClusterRole tries again. Suspends.
 */
void role_aggregation_update(struct api *api);
