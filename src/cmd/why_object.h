/*
 * corset why of one object of a set on a cluster, asked of the cluster itself: who owns which of
 * its fields now, and how it differs from its manifest. Nothing is written, and no value of a
 * Secret is told.
 *
 *     apps/v1 Deployment default/web (ConfigMap web, key web.yaml, document 1)
 *       fields of corset:default/web, this set, applied 5m ago:
 *         metadata.labels.corset.dev/managed, spec.selector.matchLabels.a and 12 more
 *       fields of kubectl, updated 4s ago:
 *         spec.replicas
 *       applying the manifest now would change:
 *         ! spec.replicas owned by kubectl; would be taken
 *         ~ spec.replicas: 7 -> 2
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "clusterresourceset/preview/preview_fleet.h"

/*
 * name is KIND/NAME, KIND/NAMESPACE/NAME, or the object as corset why prints it, "apps/v1
 * Deployment default/web". The fleet has one set. *ret_is_same: the object is as its manifest says.
 * Suspends.
 */
MUST_USE struct error *why_object_show(const struct preview_fleet *fleet,
                                       const struct preview_fleet_cluster *cluster, struct str name,
                                       timestamp now, bool *ret_is_same, struct buf *out);
