/*
 * networking.k8s.io/v1, storage.k8s.io/v1, node.k8s.io/v1, discovery.k8s.io/v1,
 * coordination.k8s.io/v1 and events.k8s.io/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field service_backend_port_fields[] = {
    {"name",   1, GO_STRING, 0, NULL, NULL},
    {"number", 2, GO_INT32,  0, NULL, NULL},
};
static TYPE(service_backend_port, "ServiceBackendPort");

static const struct go_field ingress_service_backend_fields[] = {
    {"name", 1, GO_STRING,  GO_REQUIRED, NULL, NULL                      },
    {"port", 2, GO_MESSAGE, 0,           NULL, &type_service_backend_port},
};
static TYPE(ingress_service_backend, "IngressServiceBackend");

static const struct go_field ingress_backend_fields[] = {
    {"service",  4, GO_MESSAGE, GO_POINTER, NULL, &type_ingress_service_backend     },
    {"resource", 3, GO_MESSAGE, GO_POINTER, NULL, &type_typed_local_object_reference},
};
static TYPE(ingress_backend, "IngressBackend");

static const struct go_field ingress_tls_fields[] = {
    {"hosts",      1, GO_STRING, GO_LIST, NULL, NULL},
    {"secretName", 2, GO_STRING, 0,       NULL, NULL},
};
static TYPE(ingress_tls, "IngressTLS");

static const struct go_field http_ingress_path_fields[] = {
    {"path",     1, GO_STRING,  0,          NULL, NULL                 },
    {"pathType", 3, GO_STRING,  GO_POINTER, NULL, NULL                 },
    {"backend",  2, GO_MESSAGE, 0,          NULL, &type_ingress_backend},
};
static TYPE(http_ingress_path, "HTTPIngressPath");

static const struct go_field http_ingress_rule_value_fields[] = {
    {"paths", 1, GO_MESSAGE, GO_LIST, NULL, &type_http_ingress_path},
};
static TYPE(http_ingress_rule_value, "HTTPIngressRuleValue");

static const struct go_field ingress_rule_value_fields[] = {
    {"http", 1, GO_MESSAGE, GO_POINTER, NULL, &type_http_ingress_rule_value},
};
static TYPE(ingress_rule_value, "IngressRuleValue");

static const struct go_field ingress_rule_fields[] = {
    {"host", 1, GO_STRING,  0,         NULL, NULL                    },
    {"",     2, GO_MESSAGE, GO_INLINE, NULL, &type_ingress_rule_value},
};
static TYPE(ingress_rule, "IngressRule");

static const struct go_field ingress_spec_fields[] = {
    {"ingressClassName", 4, GO_STRING,  GO_POINTER, NULL, NULL                 },
    {"defaultBackend",   1, GO_MESSAGE, GO_POINTER, NULL, &type_ingress_backend},
    {"tls",              2, GO_MESSAGE, GO_LIST,    NULL, &type_ingress_tls    },
    {"rules",            3, GO_MESSAGE, GO_LIST,    NULL, &type_ingress_rule   },
};
static TYPE(ingress_spec, "IngressSpec");

static const struct go_field ingress_port_status_fields[] = {
    {"port",     1, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"protocol", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"error",    3, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(ingress_port_status, "IngressPortStatus");

static const struct go_field ingress_load_balancer_ingress_fields[] = {
    {"ip",       1, GO_STRING,  0,       NULL, NULL                     },
    {"hostname", 2, GO_STRING,  0,       NULL, NULL                     },
    {"ports",    4, GO_MESSAGE, GO_LIST, NULL, &type_ingress_port_status},
};
static TYPE(ingress_load_balancer_ingress, "IngressLoadBalancerIngress");

static const struct go_field ingress_load_balancer_status_fields[] = {
    {"ingress", 1, GO_MESSAGE, GO_LIST, NULL, &type_ingress_load_balancer_ingress},
};
static TYPE(ingress_load_balancer_status, "IngressLoadBalancerStatus");

static const struct go_field ingress_status_fields[] = {
    {"loadBalancer", 1, GO_MESSAGE, 0, NULL, &type_ingress_load_balancer_status},
};
static TYPE(ingress_status, "IngressStatus");

static const struct go_field ingress_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta   },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_ingress_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_ingress_status},
};
TYPE(ingress, "Ingress");

static const struct go_field ingress_class_parameters_reference_fields[] = {
    {"apiGroup",  1, GO_STRING, GO_POINTER,  NULL, NULL},
    {"kind",      2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",      3, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"scope",     4, GO_STRING, GO_POINTER,  NULL, NULL},
    {"namespace", 5, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(ingress_class_parameters_reference, "IngressClassParametersReference");

static const struct go_field ingress_class_spec_fields[] = {
    {"controller", 1, GO_STRING,  0,          NULL, NULL                                    },
    {"parameters", 2, GO_MESSAGE, GO_POINTER, NULL, &type_ingress_class_parameters_reference},
};
static TYPE(ingress_class_spec, "IngressClassSpec");

static const struct go_field ingress_class_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                    },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                    },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta       },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_ingress_class_spec},
};
TYPE(ingress_class, "IngressClass");

static const struct go_field network_policy_port_fields[] = {
    {"protocol", 1, GO_STRING,        GO_POINTER, NULL, NULL},
    {"port",     2, GO_INT_OR_STRING, GO_POINTER, NULL, NULL},
    {"endPort",  3, GO_INT32,         GO_POINTER, NULL, NULL},
};
static TYPE(network_policy_port, "NetworkPolicyPort");

static const struct go_field ip_block_fields[] = {
    {"cidr",   1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"except", 2, GO_STRING, GO_LIST,     NULL, NULL},
};
static TYPE(ip_block, "IPBlock");

static const struct go_field network_policy_peer_fields[] = {
    {"podSelector",       1, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector},
    {"namespaceSelector", 2, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector},
    {"ipBlock",           3, GO_MESSAGE, GO_POINTER, NULL, &type_ip_block      },
};
static TYPE(network_policy_peer, "NetworkPolicyPeer");

static const struct go_field network_policy_ingress_rule_fields[] = {
    {"ports", 1, GO_MESSAGE, GO_LIST, NULL, &type_network_policy_port},
    {"from",  2, GO_MESSAGE, GO_LIST, NULL, &type_network_policy_peer},
};
static TYPE(network_policy_ingress_rule, "NetworkPolicyIngressRule");

static const struct go_field network_policy_egress_rule_fields[] = {
    {"ports", 1, GO_MESSAGE, GO_LIST, NULL, &type_network_policy_port},
    {"to",    2, GO_MESSAGE, GO_LIST, NULL, &type_network_policy_peer},
};
static TYPE(network_policy_egress_rule, "NetworkPolicyEgressRule");

static const struct go_field network_policy_spec_fields[] = {
    {"podSelector", 1, GO_MESSAGE, 0,       NULL, &type_label_selector             },
    {"ingress",     2, GO_MESSAGE, GO_LIST, NULL, &type_network_policy_ingress_rule},
    {"egress",      3, GO_MESSAGE, GO_LIST, NULL, &type_network_policy_egress_rule },
    {"policyTypes", 4, GO_STRING,  GO_LIST, NULL, NULL                             },
};
static TYPE(network_policy_spec, "NetworkPolicySpec");

static const struct go_field network_policy_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                     },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                     },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta        },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_network_policy_spec},
};
TYPE(network_policy, "NetworkPolicy");

static const struct go_field parent_reference_fields[] = {
    {"group",     1, GO_STRING, 0, NULL, NULL},
    {"resource",  2, GO_STRING, 0, NULL, NULL},
    {"namespace", 3, GO_STRING, 0, NULL, NULL},
    {"name",      4, GO_STRING, 0, NULL, NULL},
};
static TYPE(parent_reference, "ParentReference");

static const struct go_field ip_address_spec_fields[] = {
    {"parentRef", 1, GO_MESSAGE, GO_POINTER, NULL, &type_parent_reference},
};
static TYPE(ip_address_spec, "IPAddressSpec");

static const struct go_field ip_address_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                 },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                 },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta    },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_ip_address_spec},
};
TYPE(ip_address, "IPAddress");

static const struct go_field service_cidr_spec_fields[] = {
    {"cidrs", 1, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(service_cidr_spec, "ServiceCIDRSpec");

static const struct go_field service_cidr_status_fields[] = {
    {"conditions", 1, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_condition},
};
static TYPE(service_cidr_status, "ServiceCIDRStatus");

static const struct go_field service_cidr_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                     },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                     },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta        },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_service_cidr_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_service_cidr_status},
};
TYPE(service_cidr, "ServiceCIDR");

static const struct go_field storage_class_fields[] = {
    {"kind",                 0, GO_STRING,  0,           NULL, NULL                        },
    {"apiVersion",           0, GO_STRING,  0,           NULL, NULL                        },
    {"metadata",             1, GO_MESSAGE, 0,           NULL, &type_object_meta           },
    {"provisioner",          2, GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"parameters",           3, GO_STRING,  GO_MAP,      NULL, NULL                        },
    {"reclaimPolicy",        4, GO_STRING,  GO_POINTER,  NULL, NULL                        },
    {"mountOptions",         5, GO_STRING,  GO_LIST,     NULL, NULL                        },
    {"allowVolumeExpansion", 6, GO_BOOL,    GO_POINTER,  NULL, NULL                        },
    {"volumeBindingMode",    7, GO_STRING,  GO_POINTER,  NULL, NULL                        },
    {"allowedTopologies",    8, GO_MESSAGE, GO_LIST,     NULL, &type_topology_selector_term},
};
TYPE(storage_class, "StorageClass");

static const struct go_field volume_attachment_source_fields[] = {
    {"persistentVolumeName", 1, GO_STRING,  GO_POINTER, NULL, NULL                        },
    {"inlineVolumeSpec",     2, GO_MESSAGE, GO_POINTER, NULL, &type_persistent_volume_spec},
};
static TYPE(volume_attachment_source, "VolumeAttachmentSource");

static const struct go_field volume_attachment_spec_fields[] = {
    {"attacher", 1, GO_STRING,  GO_REQUIRED, NULL, NULL                          },
    {"source",   2, GO_MESSAGE, 0,           NULL, &type_volume_attachment_source},
    {"nodeName", 3, GO_STRING,  GO_REQUIRED, NULL, NULL                          },
};
static TYPE(volume_attachment_spec, "VolumeAttachmentSpec");

static const struct go_field volume_error_fields[] = {
    {"time",      1, GO_TIME,   0,          NULL, NULL},
    {"message",   2, GO_STRING, 0,          NULL, NULL},
    {"errorCode", 3, GO_INT32,  GO_POINTER, NULL, NULL},
};
static TYPE(volume_error, "VolumeError");

static const struct go_field volume_attachment_status_fields[] = {
    {"attached",           1, GO_BOOL,    GO_REQUIRED, NULL, NULL              },
    {"attachmentMetadata", 2, GO_STRING,  GO_MAP,      NULL, NULL              },
    {"attachError",        3, GO_MESSAGE, GO_POINTER,  NULL, &type_volume_error},
    {"detachError",        4, GO_MESSAGE, GO_POINTER,  NULL, &type_volume_error},
};
static TYPE(volume_attachment_status, "VolumeAttachmentStatus");

static const struct go_field volume_attachment_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                          },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                          },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta             },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_volume_attachment_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_volume_attachment_status},
};
TYPE(volume_attachment, "VolumeAttachment");

static const struct go_field storage_token_request_fields[] = {
    {"audience",          1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"expirationSeconds", 2, GO_INT64,  GO_POINTER,  NULL, NULL},
};
static TYPE(storage_token_request, "TokenRequest");

static const struct go_field csi_driver_spec_fields[] = {
    {"attachRequired",                     1,  GO_BOOL,    GO_POINTER, NULL, NULL                       },
    {"podInfoOnMount",                     2,  GO_BOOL,    GO_POINTER, NULL, NULL                       },
    {"volumeLifecycleModes",               3,  GO_STRING,  GO_LIST,    NULL, NULL                       },
    {"storageCapacity",                    4,  GO_BOOL,    GO_POINTER, NULL, NULL                       },
    {"fsGroupPolicy",                      5,  GO_STRING,  GO_POINTER, NULL, NULL                       },
    {"tokenRequests",                      6,  GO_MESSAGE, GO_LIST,    NULL, &type_storage_token_request},
    {"requiresRepublish",                  7,  GO_BOOL,    GO_POINTER, NULL, NULL                       },
    {"seLinuxMount",                       8,  GO_BOOL,    GO_POINTER, NULL, NULL                       },
    {"nodeAllocatableUpdatePeriodSeconds", 9,  GO_INT64,   GO_POINTER, NULL, NULL                       },
    {"serviceAccountTokenInSecrets",       10, GO_BOOL,    GO_POINTER, NULL, NULL                       },
    {"preventPodSchedulingIfMissing",      11, GO_BOOL,    GO_POINTER, NULL, NULL                       },
};
static TYPE(csi_driver_spec, "CSIDriverSpec");

static const struct go_field csi_driver_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                 },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                 },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta    },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_csi_driver_spec},
};
TYPE(csi_driver, "CSIDriver");

static const struct go_field volume_node_resources_fields[] = {
    {"count", 1, GO_INT32, GO_POINTER, NULL, NULL},
};
static TYPE(volume_node_resources, "VolumeNodeResources");

static const struct go_field csi_node_driver_fields[] = {
    {"name",         1, GO_STRING,  GO_REQUIRED, NULL, NULL                       },
    {"nodeID",       2, GO_STRING,  GO_REQUIRED, NULL, NULL                       },
    {"topologyKeys", 3, GO_STRING,  GO_LIST,     NULL, NULL                       },
    {"allocatable",  4, GO_MESSAGE, GO_POINTER,  NULL, &type_volume_node_resources},
};
static TYPE(csi_node_driver, "CSINodeDriver");

static const struct go_field csi_node_spec_fields[] = {
    {"drivers", 1, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_csi_node_driver},
};
static TYPE(csi_node_spec, "CSINodeSpec");

static const struct go_field csi_node_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL               },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL               },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta  },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_csi_node_spec},
};
TYPE(csi_node, "CSINode");

static const struct go_field csi_storage_capacity_fields[] = {
    {"kind",              0, GO_STRING,   0,           NULL, NULL                },
    {"apiVersion",        0, GO_STRING,   0,           NULL, NULL                },
    {"metadata",          1, GO_MESSAGE,  0,           NULL, &type_object_meta   },
    {"nodeTopology",      2, GO_MESSAGE,  GO_POINTER,  NULL, &type_label_selector},
    {"storageClassName",  3, GO_STRING,   GO_REQUIRED, NULL, NULL                },
    {"capacity",          4, GO_QUANTITY, GO_POINTER,  NULL, NULL                },
    {"maximumVolumeSize", 5, GO_QUANTITY, GO_POINTER,  NULL, NULL                },
};
TYPE(csi_storage_capacity, "CSIStorageCapacity");

static const struct go_field volume_attributes_class_fields[] = {
    {"kind",       0, GO_STRING,  0,           NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,           NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,           NULL, &type_object_meta},
    {"driverName", 2, GO_STRING,  GO_REQUIRED, NULL, NULL             },
    {"parameters", 3, GO_STRING,  GO_MAP,      NULL, NULL             },
};
TYPE(volume_attributes_class, "VolumeAttributesClass");

static const struct go_field lease_spec_fields[] = {
    {"holderIdentity",       1, GO_STRING,     GO_POINTER, NULL, NULL},
    {"leaseDurationSeconds", 2, GO_INT32,      GO_POINTER, NULL, NULL},
    {"acquireTime",          3, GO_MICRO_TIME, GO_POINTER, NULL, NULL},
    {"renewTime",            4, GO_MICRO_TIME, GO_POINTER, NULL, NULL},
    {"leaseTransitions",     5, GO_INT32,      GO_POINTER, NULL, NULL},
    {"strategy",             6, GO_STRING,     GO_POINTER, NULL, NULL},
    {"preferredHolder",      7, GO_STRING,     GO_POINTER, NULL, NULL},
};
static TYPE(lease_spec, "LeaseSpec");

static const struct go_field lease_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta},
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_lease_spec },
};
TYPE(lease, "Lease");

static const struct go_field events_event_series_fields[] = {
    {"count",            1, GO_INT32,      GO_REQUIRED, NULL, NULL},
    {"lastObservedTime", 2, GO_MICRO_TIME, GO_REQUIRED, NULL, NULL},
};
static TYPE(events_event_series, "EventSeries");

static const struct go_field events_event_fields[] = {
    {"kind",                     0,  GO_STRING,     0,           NULL, NULL                     },
    {"apiVersion",               0,  GO_STRING,     0,           NULL, NULL                     },
    {"metadata",                 1,  GO_MESSAGE,    0,           NULL, &type_object_meta        },
    {"eventTime",                2,  GO_MICRO_TIME, GO_REQUIRED, NULL, NULL                     },
    {"series",                   3,  GO_MESSAGE,    GO_POINTER,  NULL, &type_events_event_series},
    {"reportingController",      4,  GO_STRING,     0,           NULL, NULL                     },
    {"reportingInstance",        5,  GO_STRING,     0,           NULL, NULL                     },
    {"action",                   6,  GO_STRING,     0,           NULL, NULL                     },
    {"reason",                   7,  GO_STRING,     0,           NULL, NULL                     },
    {"regarding",                8,  GO_MESSAGE,    0,           NULL, &type_object_reference   },
    {"related",                  9,  GO_MESSAGE,    GO_POINTER,  NULL, &type_object_reference   },
    {"note",                     10, GO_STRING,     0,           NULL, NULL                     },
    {"type",                     11, GO_STRING,     0,           NULL, NULL                     },
    {"deprecatedSource",         12, GO_MESSAGE,    0,           NULL, &type_event_source       },
    {"deprecatedFirstTimestamp", 13, GO_TIME,       0,           NULL, NULL                     },
    {"deprecatedLastTimestamp",  14, GO_TIME,       0,           NULL, NULL                     },
    {"deprecatedCount",          15, GO_INT32,      0,           NULL, NULL                     },
};
TYPE(events_event, "Event");

static const struct go_field endpoint_conditions_fields[] = {
    {"ready",       1, GO_BOOL, GO_POINTER, NULL, NULL},
    {"serving",     2, GO_BOOL, GO_POINTER, NULL, NULL},
    {"terminating", 3, GO_BOOL, GO_POINTER, NULL, NULL},
};
static TYPE(endpoint_conditions, "EndpointConditions");

static const struct go_field for_zone_fields[] = {
    {"name", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(for_zone, "ForZone");

static const struct go_field for_node_fields[] = {
    {"name", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(for_node, "ForNode");

static const struct go_field endpoint_hints_fields[] = {
    {"forZones", 1, GO_MESSAGE, GO_LIST, NULL, &type_for_zone},
    {"forNodes", 2, GO_MESSAGE, GO_LIST, NULL, &type_for_node},
};
static TYPE(endpoint_hints, "EndpointHints");

static const struct go_field endpoint_fields[] = {
    {"addresses",          1, GO_STRING,  GO_LIST,    NULL, NULL                     },
    {"conditions",         2, GO_MESSAGE, 0,          NULL, &type_endpoint_conditions},
    {"hostname",           3, GO_STRING,  GO_POINTER, NULL, NULL                     },
    {"targetRef",          4, GO_MESSAGE, GO_POINTER, NULL, &type_object_reference   },
    {"deprecatedTopology", 5, GO_STRING,  GO_MAP,     NULL, NULL                     },
    {"nodeName",           6, GO_STRING,  GO_POINTER, NULL, NULL                     },
    {"zone",               7, GO_STRING,  GO_POINTER, NULL, NULL                     },
    {"hints",              8, GO_MESSAGE, GO_POINTER, NULL, &type_endpoint_hints     },
};
static TYPE(endpoint, "Endpoint");

static const struct go_field discovery_endpoint_port_fields[] = {
    {"name",        1, GO_STRING, GO_POINTER, NULL, NULL},
    {"protocol",    2, GO_STRING, GO_POINTER, NULL, NULL},
    {"port",        3, GO_INT32,  GO_POINTER, NULL, NULL},
    {"appProtocol", 4, GO_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(discovery_endpoint_port, "EndpointPort");

static const struct go_field endpoint_slice_fields[] = {
    {"kind",        0, GO_STRING,  0,           NULL, NULL                         },
    {"apiVersion",  0, GO_STRING,  0,           NULL, NULL                         },
    {"metadata",    1, GO_MESSAGE, 0,           NULL, &type_object_meta            },
    {"addressType", 4, GO_STRING,  GO_REQUIRED, NULL, NULL                         },
    {"endpoints",   2, GO_MESSAGE, GO_LIST,     NULL, &type_endpoint               },
    {"ports",       3, GO_MESSAGE, GO_LIST,     NULL, &type_discovery_endpoint_port},
};
TYPE(endpoint_slice, "EndpointSlice");

static const struct go_field overhead_fields[] = {
    {"podFixed", 1, GO_QUANTITY, GO_MAP, NULL, NULL},
};
static TYPE(overhead, "Overhead");

static const struct go_field scheduling_fields[] = {
    {"nodeSelector", 1, GO_STRING,  GO_MAP,  NULL, NULL            },
    {"tolerations",  2, GO_MESSAGE, GO_LIST, NULL, &type_toleration},
};
static TYPE(scheduling, "Scheduling");

static const struct go_field runtime_class_fields[] = {
    {"kind",       0, GO_STRING,  0,           NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,           NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,           NULL, &type_object_meta},
    {"handler",    2, GO_STRING,  GO_REQUIRED, NULL, NULL             },
    {"overhead",   3, GO_MESSAGE, GO_POINTER,  NULL, &type_overhead   },
    {"scheduling", 4, GO_MESSAGE, GO_POINTER,  NULL, &type_scheduling },
};
TYPE(runtime_class, "RuntimeClass");
