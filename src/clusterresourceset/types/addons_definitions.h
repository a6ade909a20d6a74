/*
 * The CustomResourceDefinitions that corset brings along: deploy/crds, compiled into the program.
 *
 * ClusterResourceSet and ClusterResourceSetBinding, and Cluster for servers without Cluster API.
 */
#pragma once

#include <stddef.h>

#include "base/str.h"

struct addons_definition {
    struct str name; /* "clusterresourcesets.addons.cluster.x-k8s.io" */
    struct str text; /* YAML, one document */
};

size_t addons_definition_count(void);
struct addons_definition addons_definition(size_t index);
