/* Cache transforms: trim Clusters and kubeconfig Secrets to the fields that corset reads. */
#pragma once

#include "controller/cache/cache.h"

/*
 * Keeps names, labels, some annotations, deletion, whether the Cluster is paused, whether there is
 * a topology, and initialization.
 */
cache_transform_fn cache_trim_cluster;

/* Keeps metadata, and the data of Secrets whose name marks them as kubeconfigs. */
cache_transform_fn cache_trim_secret;
