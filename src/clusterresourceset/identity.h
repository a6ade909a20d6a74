/*
 * Identity: whether a binding speaks of the cluster that is connected now.
 *
 * A cluster that was rebuilt, or restored behind the same address, has nothing of what its binding
 * records. The UID of its Namespace kube-system shows that; the binding keeps the UID in the
 * annotation corset.dev/cluster-uid.
 */
#pragma once

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "base/str.h"

struct crs_controllers;
struct reconcile_result;

/*
 * Compares the UIDs. If they differ, the entries of all sets are dropped in one write of the
 * binding, and an event on the Cluster says so. Nothing happens if the cluster has no UID that can
 * be read, or the binding names none. Suspends.
 */
MUST_USE struct error *identity_check(struct crs_controllers *controllers,
                                      const struct object *cluster, struct str cluster_uid);

/*
 * Checks a cluster that was connected just now, whether a set works on it or all are paused. A UID
 * that cannot be read just now is asked for again later. Suspends.
 */
MUST_USE struct error *identity_reconcile(struct crs_controllers *controllers, struct key cluster,
                                          struct reconcile_result *ret_result);

#define IDENTITY_RETRY MINUTE /* after the UID of a cluster could not be read */
