/*
 * Kinds and resources that more than one folder uses.
 */
#pragma once

#include "apimachinery/gvk.h"

#define GVK_CONFIG_MAP           GVK("", "v1", "ConfigMap")
#define GVK_EVENT                GVK("events.k8s.io", "v1", "Event")
#define GVK_LEASE                GVK("coordination.k8s.io", "v1", "Lease")
#define GVK_NAMESPACE            GVK("", "v1", "Namespace")
#define GVK_SECRET               GVK("", "v1", "Secret")
#define GVK_SERVICE              GVK("", "v1", "Service")
#define GVK_CRD                  GVK("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
#define GVK_CLUSTER              GVK("cluster.x-k8s.io", "v1beta2", "Cluster")
#define GVK_CLUSTER_RESOURCE_SET GVK("addons.cluster.x-k8s.io", "v1beta2", "ClusterResourceSet")
#define GVK_CLUSTER_RESOURCE_SET_BINDING \
    GVK("addons.cluster.x-k8s.io", "v1beta2", "ClusterResourceSetBinding")

#define GVR_CONFIG_MAPS           GVR("", "v1", "configmaps")
#define GVR_EVENTS                GVR("events.k8s.io", "v1", "events")
#define GVR_LEASES                GVR("coordination.k8s.io", "v1", "leases")
#define GVR_NAMESPACES            GVR("", "v1", "namespaces")
#define GVR_SECRETS               GVR("", "v1", "secrets")
#define GVR_SERVICES              GVR("", "v1", "services")
#define GVR_CRDS                  GVR("apiextensions.k8s.io", "v1", "customresourcedefinitions")
#define GVR_CLUSTERS              GVR("cluster.x-k8s.io", "v1beta2", "clusters")
#define GVR_CLUSTER_RESOURCE_SETS GVR("addons.cluster.x-k8s.io", "v1beta2", "clusterresourcesets")
#define GVR_CLUSTER_RESOURCE_SET_BINDINGS \
    GVR("addons.cluster.x-k8s.io", "v1beta2", "clusterresourcesetbindings")
#define GVR_DELIVERY_POLICIES GVR("corset.dev", "v1alpha1", "deliverypolicies")
