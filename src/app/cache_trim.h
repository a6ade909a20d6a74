/*
 * What is kept of Clusters and kubeconfig Secrets: no more than is read.
 */
#pragma once

#include "controller/cache/cache.h"

/* Names, labels, annotations, deletion, whether it has a topology, and its initialization. */
cache_transform_fn cache_trim_cluster;

/* Metadata, and the data of those that are named as kubeconfigs. */
cache_transform_fn cache_trim_secret;
