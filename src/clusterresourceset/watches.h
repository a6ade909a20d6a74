/*
 * Which events enqueue which sets and placements.
 *
 *   event of                 enqueues
 *   a ClusterResourceSet     the set, and sets and placements that depend on it (set_order.h)
 *   a ConfigMap or Secret    every set that names it
 *   a DeliveryPolicy         the same (from the policy_store)
 *   a Cluster                the placements of sets that select it, or did
 *   a connection             the same (from the ClusterCache), and the check of its identity
 *   a deleted binding        the same
 *   a changed binding        the placements on its cluster that wait for other sets
 *   a binding or a Cluster   the binding, for the controller that deletes bindings
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"

struct crs_controllers;

/* Called once, before the controllers are started. */
void watches_add(struct crs_controllers *controllers);

/* The placements of a cluster: what they went by has changed without an event. */
void watches_enqueue_cluster(struct crs_controllers *controllers, const struct object *cluster);

/* For the policy_store: the sets that name a policy; data is the struct crs_controllers. */
void watches_enqueue_policy(void *data, struct key policy, bool is_initial);

/* True if the object has the label of --watch-filter, or there is no such filter. */
bool watches_has_label(const struct crs_controllers *controllers, const struct object *object);
