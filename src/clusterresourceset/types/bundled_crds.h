/*
 * The CustomResourceDefinitions of deploy/crds, compiled into the program: ClusterResourceSet and
 * ClusterResourceSetBinding, Cluster for servers without Cluster API, and DeliveryPolicy.
 */
#pragma once

#include <stddef.h>

#include "base/str.h"

struct bundled_crd {
    struct str name; /* "clusterresourcesets.addons.cluster.x-k8s.io" */
    struct str text; /* YAML, one document */
};

size_t bundled_crd_count(void);
struct bundled_crd bundled_crd(size_t index);
