/*
 * Identity: whether a binding speaks of the cluster that is connected now.
 *
 * A cluster that was rebuilt, or restored behind the same address, has nothing of what its binding
 * records. The UID of its Namespace kube-system shows that; the binding keeps the UID in the
 * annotation corset.dev/cluster-uid.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/error.h"
#include "base/str.h"

struct cluster_connection;
struct crs_controllers;

/*
 * Compares the UIDs. If they differ, the entries of all sets are dropped in one write of the
 * binding, and an event on the Cluster says so. Nothing happens if the cluster has no UID that can
 * be read, or the binding names none. Suspends.
 */
MUST_USE struct error *identity_check(struct crs_controllers *controllers,
                                      const struct object *cluster, struct str cluster_uid);
