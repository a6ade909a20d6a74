/*
 * The other kinds of core/v1.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field config_map_fields[] = {
    {"kind",       0, GO_STRING,  0,          NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,          NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,          NULL, &type_object_meta},
    {"immutable",  4, GO_BOOL,    GO_POINTER, NULL, NULL             },
    {"data",       2, GO_STRING,  GO_MAP,     NULL, NULL             },
    {"binaryData", 3, GO_BYTES,   GO_MAP,     NULL, NULL             },
};
TYPE(config_map, "ConfigMap");

static const struct go_field secret_fields[] = {
    {"kind",       0, GO_STRING,  0,          NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0,          NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0,          NULL, &type_object_meta},
    {"immutable",  5, GO_BOOL,    GO_POINTER, NULL, NULL             },
    {"data",       2, GO_BYTES,   GO_MAP,     NULL, NULL             },
    {"stringData", 4, GO_STRING,  GO_MAP,     NULL, NULL             },
    {"type",       3, GO_STRING,  0,          NULL, NULL             },
};
TYPE(secret, "Secret");

static const struct go_field namespace_spec_fields[] = {
    {"finalizers", 1, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(namespace_spec, "NamespaceSpec");

static const struct go_field namespace_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 4, GO_TIME,   0,           NULL, NULL},
    {"reason",             5, GO_STRING, 0,           NULL, NULL},
    {"message",            6, GO_STRING, 0,           NULL, NULL},
};
static TYPE(namespace_condition, "NamespaceCondition");

static const struct go_field namespace_status_fields[] = {
    {"phase",      1, GO_STRING,  0,                  NULL,   NULL                     },
    {"conditions", 2, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_namespace_condition},
};
static TYPE(namespace_status, "NamespaceStatus");

static const struct go_field namespace_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                  },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                  },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta     },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_namespace_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_namespace_status},
};
TYPE(namespace, "Namespace");

static const struct go_field object_reference_fields[] = {
    {"kind",            1, GO_STRING, 0, NULL, NULL},
    {"namespace",       2, GO_STRING, 0, NULL, NULL},
    {"name",            3, GO_STRING, 0, NULL, NULL},
    {"uid",             4, GO_STRING, 0, NULL, NULL},
    {"apiVersion",      5, GO_STRING, 0, NULL, NULL},
    {"resourceVersion", 6, GO_STRING, 0, NULL, NULL},
    {"fieldPath",       7, GO_STRING, 0, NULL, NULL},
};
TYPE(object_reference, "ObjectReference");

static const struct go_field service_account_fields[] = {
    {"kind",                         0, GO_STRING,  0,                  NULL,   NULL                        },
    {"apiVersion",                   0, GO_STRING,  0,                  NULL,   NULL                        },
    {"metadata",                     1, GO_MESSAGE, 0,                  NULL,   &type_object_meta           },
    {"secrets",                      2, GO_MESSAGE, GO_LIST | GO_MERGE, "name", &type_object_reference      },
    {"imagePullSecrets",             3, GO_MESSAGE, GO_LIST,            NULL,   &type_local_object_reference},
    {"automountServiceAccountToken", 4, GO_BOOL,    GO_POINTER,         NULL,   NULL                        },
};
TYPE(service_account, "ServiceAccount");

static const struct go_field service_port_fields[] = {
    {"name",        1, GO_STRING,        0,           NULL, NULL},
    {"protocol",    2, GO_STRING,        0,           NULL, NULL},
    {"appProtocol", 6, GO_STRING,        GO_POINTER,  NULL, NULL},
    {"port",        3, GO_INT32,         GO_REQUIRED, NULL, NULL},
    {"targetPort",  4, GO_INT_OR_STRING, 0,           NULL, NULL},
    {"nodePort",    5, GO_INT32,         0,           NULL, NULL},
};
static TYPE(service_port, "ServicePort");

static const struct go_field client_ip_config_fields[] = {
    {"timeoutSeconds", 1, GO_INT32, GO_POINTER, NULL, NULL},
};
static TYPE(client_ip_config, "ClientIPConfig");

static const struct go_field session_affinity_config_fields[] = {
    {"clientIP", 1, GO_MESSAGE, GO_POINTER, NULL, &type_client_ip_config},
};
static TYPE(session_affinity_config, "SessionAffinityConfig");

static const struct go_field service_spec_fields[] = {
    {"ports",                         1,  GO_MESSAGE, GO_LIST | GO_MERGE, "port", &type_service_port           },
    {"selector",                      2,  GO_STRING,  GO_MAP,             NULL,   NULL                         },
    {"clusterIP",                     3,  GO_STRING,  0,                  NULL,   NULL                         },
    {"clusterIPs",                    18, GO_STRING,  GO_LIST,            NULL,   NULL                         },
    {"type",                          4,  GO_STRING,  0,                  NULL,   NULL                         },
    {"externalIPs",                   5,  GO_STRING,  GO_LIST,            NULL,   NULL                         },
    {"sessionAffinity",               7,  GO_STRING,  0,                  NULL,   NULL                         },
    {"loadBalancerIP",                8,  GO_STRING,  0,                  NULL,   NULL                         },
    {"loadBalancerSourceRanges",      9,  GO_STRING,  GO_LIST,            NULL,   NULL                         },
    {"externalName",                  10, GO_STRING,  0,                  NULL,   NULL                         },
    {"externalTrafficPolicy",         11, GO_STRING,  0,                  NULL,   NULL                         },
    {"healthCheckNodePort",           12, GO_INT32,   0,                  NULL,   NULL                         },
    {"publishNotReadyAddresses",      13, GO_BOOL,    0,                  NULL,   NULL                         },
    {"sessionAffinityConfig",         14, GO_MESSAGE, GO_POINTER,         NULL,   &type_session_affinity_config},
    {"ipFamilies",                    19, GO_STRING,  GO_LIST,            NULL,   NULL                         },
    {"ipFamilyPolicy",                17, GO_STRING,  GO_POINTER,         NULL,   NULL                         },
    {"allocateLoadBalancerNodePorts", 20, GO_BOOL,    GO_POINTER,         NULL,   NULL                         },
    {"loadBalancerClass",             21, GO_STRING,  GO_POINTER,         NULL,   NULL                         },
    {"internalTrafficPolicy",         22, GO_STRING,  GO_POINTER,         NULL,   NULL                         },
    {"trafficDistribution",           23, GO_STRING,  GO_POINTER,         NULL,   NULL                         },
};
static TYPE(service_spec, "ServiceSpec");

static const struct go_field port_status_fields[] = {
    {"port",     1, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"protocol", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"error",    3, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(port_status, "PortStatus");

static const struct go_field load_balancer_ingress_fields[] = {
    {"ip",       1, GO_STRING,  0,          NULL, NULL             },
    {"hostname", 2, GO_STRING,  0,          NULL, NULL             },
    {"ipMode",   3, GO_STRING,  GO_POINTER, NULL, NULL             },
    {"ports",    4, GO_MESSAGE, GO_LIST,    NULL, &type_port_status},
};
static TYPE(load_balancer_ingress, "LoadBalancerIngress");

static const struct go_field load_balancer_status_fields[] = {
    {"ingress", 1, GO_MESSAGE, GO_LIST, NULL, &type_load_balancer_ingress},
};
static TYPE(load_balancer_status, "LoadBalancerStatus");

static const struct go_field service_status_fields[] = {
    {"loadBalancer", 1, GO_MESSAGE, 0,                  NULL,   &type_load_balancer_status},
    {"conditions",   2, GO_MESSAGE, GO_LIST | GO_MERGE, "type", &type_condition           },
};
static TYPE(service_status, "ServiceStatus");

static const struct go_field service_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta   },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_service_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_service_status},
};
TYPE(service, "Service");

static const struct go_field event_source_fields[] = {
    {"component", 1, GO_STRING, 0, NULL, NULL},
    {"host",      2, GO_STRING, 0, NULL, NULL},
};
TYPE(event_source, "EventSource");

static const struct go_field event_series_fields[] = {
    {"count",            1, GO_INT32,      0, NULL, NULL},
    {"lastObservedTime", 2, GO_MICRO_TIME, 0, NULL, NULL},
};
static TYPE(event_series, "EventSeries");

static const struct go_field event_fields[] = {
    {"kind",               0,  GO_STRING,     0,           NULL, NULL                  },
    {"apiVersion",         0,  GO_STRING,     0,           NULL, NULL                  },
    {"metadata",           1,  GO_MESSAGE,    0,           NULL, &type_object_meta     },
    {"involvedObject",     2,  GO_MESSAGE,    0,           NULL, &type_object_reference},
    {"reason",             3,  GO_STRING,     0,           NULL, NULL                  },
    {"message",            4,  GO_STRING,     0,           NULL, NULL                  },
    {"source",             5,  GO_MESSAGE,    0,           NULL, &type_event_source    },
    {"firstTimestamp",     6,  GO_TIME,       0,           NULL, NULL                  },
    {"lastTimestamp",      7,  GO_TIME,       0,           NULL, NULL                  },
    {"count",              8,  GO_INT32,      0,           NULL, NULL                  },
    {"type",               9,  GO_STRING,     0,           NULL, NULL                  },
    {"eventTime",          10, GO_MICRO_TIME, 0,           NULL, NULL                  },
    {"series",             11, GO_MESSAGE,    GO_POINTER,  NULL, &type_event_series    },
    {"action",             12, GO_STRING,     0,           NULL, NULL                  },
    {"related",            13, GO_MESSAGE,    GO_POINTER,  NULL, &type_object_reference},
    {"reportingComponent", 14, GO_STRING,     GO_REQUIRED, NULL, NULL                  },
    {"reportingInstance",  15, GO_STRING,     GO_REQUIRED, NULL, NULL                  },
};
TYPE(event, "Event");

static const struct go_field pod_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta},
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_pod_spec   },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_pod_status },
};
TYPE(pod, "Pod");

static const struct go_field pod_template_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                   },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                   },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta      },
    {"template",   2, GO_MESSAGE, 0, NULL, &type_pod_template_spec},
};
TYPE(pod_template, "PodTemplate");

static const struct go_field taint_fields[] = {
    {"key",       1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"value",     2, GO_STRING, 0,           NULL, NULL},
    {"effect",    3, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"timeAdded", 4, GO_TIME,   GO_POINTER,  NULL, NULL},
};
static TYPE(taint, "Taint");

static const struct go_field config_map_node_config_source_fields[] = {
    {"namespace",        1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"uid",              3, GO_STRING, 0,           NULL, NULL},
    {"resourceVersion",  4, GO_STRING, 0,           NULL, NULL},
    {"kubeletConfigKey", 5, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(config_map_node_config_source, "ConfigMapNodeConfigSource");

static const struct go_field node_config_source_fields[] = {
    {"configMap", 2, GO_MESSAGE, GO_POINTER, NULL, &type_config_map_node_config_source},
};
static TYPE(node_config_source, "NodeConfigSource");

static const struct go_field node_spec_fields[] = {
    {"podCIDR",       1, GO_STRING,  0,                  NULL, NULL                    },
    {"podCIDRs",      7, GO_STRING,  GO_LIST | GO_MERGE, NULL, NULL                    },
    {"providerID",    3, GO_STRING,  0,                  NULL, NULL                    },
    {"unschedulable", 4, GO_BOOL,    0,                  NULL, NULL                    },
    {"taints",        5, GO_MESSAGE, GO_LIST,            NULL, &type_taint             },
    {"configSource",  6, GO_MESSAGE, GO_POINTER,         NULL, &type_node_config_source},
    {"externalID",    2, GO_STRING,  0,                  NULL, NULL                    },
};
static TYPE(node_spec, "NodeSpec");

static const struct go_field node_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastHeartbeatTime",  3, GO_TIME,   0,           NULL, NULL},
    {"lastTransitionTime", 4, GO_TIME,   0,           NULL, NULL},
    {"reason",             5, GO_STRING, 0,           NULL, NULL},
    {"message",            6, GO_STRING, 0,           NULL, NULL},
};
static TYPE(node_condition, "NodeCondition");

static const struct go_field node_address_fields[] = {
    {"type",    1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"address", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(node_address, "NodeAddress");

static const struct go_field daemon_endpoint_fields[] = {
    {"Port", 1, GO_INT32, GO_REQUIRED, NULL, NULL},
};
static TYPE(daemon_endpoint, "DaemonEndpoint");

static const struct go_field node_daemon_endpoints_fields[] = {
    {"kubeletEndpoint", 1, GO_MESSAGE, 0, NULL, &type_daemon_endpoint},
};
static TYPE(node_daemon_endpoints, "NodeDaemonEndpoints");

static const struct go_field node_swap_status_fields[] = {
    {"capacity", 1, GO_INT64, GO_POINTER, NULL, NULL},
};
static TYPE(node_swap_status, "NodeSwapStatus");

static const struct go_field node_system_info_fields[] = {
    {"machineID",               1,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"systemUUID",              2,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"bootID",                  3,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"kernelVersion",           4,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"osImage",                 5,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"containerRuntimeVersion", 6,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"kubeletVersion",          7,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"kubeProxyVersion",        8,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"operatingSystem",         9,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"architecture",            10, GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"swap",                    11, GO_MESSAGE, GO_POINTER,  NULL, &type_node_swap_status},
};
static TYPE(node_system_info, "NodeSystemInfo");

static const struct go_field container_image_fields[] = {
    {"names",     1, GO_STRING, GO_LIST, NULL, NULL},
    {"sizeBytes", 2, GO_INT64,  0,       NULL, NULL},
};
static TYPE(container_image, "ContainerImage");

static const struct go_field attached_volume_fields[] = {
    {"name",       1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"devicePath", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(attached_volume, "AttachedVolume");

static const struct go_field node_config_status_fields[] = {
    {"assigned",      1, GO_MESSAGE, GO_POINTER, NULL, &type_node_config_source},
    {"active",        2, GO_MESSAGE, GO_POINTER, NULL, &type_node_config_source},
    {"lastKnownGood", 3, GO_MESSAGE, GO_POINTER, NULL, &type_node_config_source},
    {"error",         4, GO_STRING,  0,          NULL, NULL                    },
};
static TYPE(node_config_status, "NodeConfigStatus");

static const struct go_field node_runtime_handler_features_fields[] = {
    {"recursiveReadOnlyMounts", 1, GO_BOOL, GO_POINTER, NULL, NULL},
    {"userNamespaces",          2, GO_BOOL, GO_POINTER, NULL, NULL},
};
static TYPE(node_runtime_handler_features, "NodeRuntimeHandlerFeatures");

static const struct go_field node_runtime_handler_fields[] = {
    {"name",     1, GO_STRING,  GO_REQUIRED, NULL, NULL                               },
    {"features", 2, GO_MESSAGE, GO_POINTER,  NULL, &type_node_runtime_handler_features},
};
static TYPE(node_runtime_handler, "NodeRuntimeHandler");

static const struct go_field node_features_fields[] = {
    {"supplementalGroupsPolicy", 1, GO_BOOL, GO_POINTER, NULL, NULL},
};
static TYPE(node_features, "NodeFeatures");

static const struct go_field node_status_fields[] = {
    {"capacity",         1,  GO_QUANTITY, GO_MAP,             NULL,   NULL                       },
    {"allocatable",      2,  GO_QUANTITY, GO_MAP,             NULL,   NULL                       },
    {"phase",            3,  GO_STRING,   0,                  NULL,   NULL                       },
    {"conditions",       4,  GO_MESSAGE,  GO_LIST | GO_MERGE, "type", &type_node_condition       },
    {"addresses",        5,  GO_MESSAGE,  GO_LIST | GO_MERGE, "type", &type_node_address         },
    {"daemonEndpoints",  6,  GO_MESSAGE,  0,                  NULL,   &type_node_daemon_endpoints},
    {"nodeInfo",         7,  GO_MESSAGE,  0,                  NULL,   &type_node_system_info     },
    {"images",           8,  GO_MESSAGE,  GO_LIST,            NULL,   &type_container_image      },
    {"volumesInUse",     9,  GO_STRING,   GO_LIST,            NULL,   NULL                       },
    {"volumesAttached",  10, GO_MESSAGE,  GO_LIST,            NULL,   &type_attached_volume      },
    {"config",           11, GO_MESSAGE,  GO_POINTER,         NULL,   &type_node_config_status   },
    {"runtimeHandlers",  12, GO_MESSAGE,  GO_LIST,            NULL,   &type_node_runtime_handler },
    {"features",         13, GO_MESSAGE,  GO_POINTER,         NULL,   &type_node_features        },
    {"declaredFeatures", 14, GO_STRING,   GO_LIST,            NULL,   NULL                       },
};
static TYPE(node_status, "NodeStatus");

static const struct go_field node_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL             },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL             },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta},
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_node_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_node_status},
};
TYPE(node, "Node");

static const struct go_field glusterfs_persistent_volume_source_fields[] = {
    {"endpoints",          1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"path",               2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly",           3, GO_BOOL,   0,           NULL, NULL},
    {"endpointsNamespace", 4, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(glusterfs_persistent_volume_source, "GlusterfsPersistentVolumeSource");

static const struct go_field secret_reference_fields[] = {
    {"name",      1, GO_STRING, 0, NULL, NULL},
    {"namespace", 2, GO_STRING, 0, NULL, NULL},
};
static TYPE(secret_reference, "SecretReference");

static const struct go_field rbd_persistent_volume_source_fields[] = {
    {"monitors",  1, GO_STRING,  GO_LIST,     NULL, NULL                  },
    {"image",     2, GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"fsType",    3, GO_STRING,  0,           NULL, NULL                  },
    {"pool",      4, GO_STRING,  0,           NULL, NULL                  },
    {"user",      5, GO_STRING,  0,           NULL, NULL                  },
    {"keyring",   6, GO_STRING,  0,           NULL, NULL                  },
    {"secretRef", 7, GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"readOnly",  8, GO_BOOL,    0,           NULL, NULL                  },
};
static TYPE(rbd_persistent_volume_source, "RBDPersistentVolumeSource");

static const struct go_field iscsi_persistent_volume_source_fields[] = {
    {"targetPortal",      1,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"iqn",               2,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"lun",               3,  GO_INT32,   GO_REQUIRED, NULL, NULL                  },
    {"iscsiInterface",    4,  GO_STRING,  0,           NULL, NULL                  },
    {"fsType",            5,  GO_STRING,  0,           NULL, NULL                  },
    {"readOnly",          6,  GO_BOOL,    0,           NULL, NULL                  },
    {"portals",           7,  GO_STRING,  GO_LIST,     NULL, NULL                  },
    {"chapAuthDiscovery", 8,  GO_BOOL,    0,           NULL, NULL                  },
    {"chapAuthSession",   11, GO_BOOL,    0,           NULL, NULL                  },
    {"secretRef",         10, GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"initiatorName",     12, GO_STRING,  GO_POINTER,  NULL, NULL                  },
};
static TYPE(iscsi_persistent_volume_source, "ISCSIPersistentVolumeSource");

static const struct go_field cinder_persistent_volume_source_fields[] = {
    {"volumeID",  1, GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"fsType",    2, GO_STRING,  0,           NULL, NULL                  },
    {"readOnly",  3, GO_BOOL,    0,           NULL, NULL                  },
    {"secretRef", 4, GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
};
static TYPE(cinder_persistent_volume_source, "CinderPersistentVolumeSource");

static const struct go_field ceph_fs_persistent_volume_source_fields[] = {
    {"monitors",   1, GO_STRING,  GO_LIST,    NULL, NULL                  },
    {"path",       2, GO_STRING,  0,          NULL, NULL                  },
    {"user",       3, GO_STRING,  0,          NULL, NULL                  },
    {"secretFile", 4, GO_STRING,  0,          NULL, NULL                  },
    {"secretRef",  5, GO_MESSAGE, GO_POINTER, NULL, &type_secret_reference},
    {"readOnly",   6, GO_BOOL,    0,          NULL, NULL                  },
};
static TYPE(ceph_fs_persistent_volume_source, "CephFSPersistentVolumeSource");

static const struct go_field flex_persistent_volume_source_fields[] = {
    {"driver",    1, GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"fsType",    2, GO_STRING,  0,           NULL, NULL                  },
    {"secretRef", 3, GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"readOnly",  4, GO_BOOL,    0,           NULL, NULL                  },
    {"options",   5, GO_STRING,  GO_MAP,      NULL, NULL                  },
};
static TYPE(flex_persistent_volume_source, "FlexPersistentVolumeSource");

static const struct go_field azure_file_persistent_volume_source_fields[] = {
    {"secretName",      1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"shareName",       2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly",        3, GO_BOOL,   0,           NULL, NULL},
    {"secretNamespace", 4, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(azure_file_persistent_volume_source, "AzureFilePersistentVolumeSource");

static const struct go_field scale_io_persistent_volume_source_fields[] = {
    {"gateway",          1,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"system",           2,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"secretRef",        3,  GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"sslEnabled",       4,  GO_BOOL,    0,           NULL, NULL                  },
    {"protectionDomain", 5,  GO_STRING,  0,           NULL, NULL                  },
    {"storagePool",      6,  GO_STRING,  0,           NULL, NULL                  },
    {"storageMode",      7,  GO_STRING,  0,           NULL, NULL                  },
    {"volumeName",       8,  GO_STRING,  0,           NULL, NULL                  },
    {"fsType",           9,  GO_STRING,  0,           NULL, NULL                  },
    {"readOnly",         10, GO_BOOL,    0,           NULL, NULL                  },
};
static TYPE(scale_io_persistent_volume_source, "ScaleIOPersistentVolumeSource");

static const struct go_field local_volume_source_fields[] = {
    {"path",   1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"fsType", 2, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(local_volume_source, "LocalVolumeSource");

static const struct go_field storage_os_persistent_volume_source_fields[] = {
    {"volumeName",      1, GO_STRING,  0,          NULL, NULL                  },
    {"volumeNamespace", 2, GO_STRING,  0,          NULL, NULL                  },
    {"fsType",          3, GO_STRING,  0,          NULL, NULL                  },
    {"readOnly",        4, GO_BOOL,    0,          NULL, NULL                  },
    {"secretRef",       5, GO_MESSAGE, GO_POINTER, NULL, &type_object_reference},
};
static TYPE(storage_os_persistent_volume_source, "StorageOSPersistentVolumeSource");

static const struct go_field csi_persistent_volume_source_fields[] = {
    {"driver",                     1,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"volumeHandle",               2,  GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"readOnly",                   3,  GO_BOOL,    0,           NULL, NULL                  },
    {"fsType",                     4,  GO_STRING,  0,           NULL, NULL                  },
    {"volumeAttributes",           5,  GO_STRING,  GO_MAP,      NULL, NULL                  },
    {"controllerPublishSecretRef", 6,  GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"nodeStageSecretRef",         7,  GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"nodePublishSecretRef",       8,  GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"controllerExpandSecretRef",  9,  GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
    {"nodeExpandSecretRef",        10, GO_MESSAGE, GO_POINTER,  NULL, &type_secret_reference},
};
static TYPE(csi_persistent_volume_source, "CSIPersistentVolumeSource");

static const struct go_field persistent_volume_source_fields[] = {
    {"gcePersistentDisk",    1,  GO_MESSAGE, GO_POINTER, NULL, &type_gce_persistent_disk_volume_source  },
    {"awsElasticBlockStore", 2,  GO_MESSAGE, GO_POINTER, NULL,
     &type_aws_elastic_block_store_volume_source                                                        },
    {"hostPath",             3,  GO_MESSAGE, GO_POINTER, NULL, &type_host_path_volume_source            },
    {"glusterfs",            4,  GO_MESSAGE, GO_POINTER, NULL, &type_glusterfs_persistent_volume_source },
    {"nfs",                  5,  GO_MESSAGE, GO_POINTER, NULL, &type_nfs_volume_source                  },
    {"rbd",                  6,  GO_MESSAGE, GO_POINTER, NULL, &type_rbd_persistent_volume_source       },
    {"iscsi",                7,  GO_MESSAGE, GO_POINTER, NULL, &type_iscsi_persistent_volume_source     },
    {"cinder",               8,  GO_MESSAGE, GO_POINTER, NULL, &type_cinder_persistent_volume_source    },
    {"cephfs",               9,  GO_MESSAGE, GO_POINTER, NULL, &type_ceph_fs_persistent_volume_source   },
    {"fc",                   10, GO_MESSAGE, GO_POINTER, NULL, &type_fc_volume_source                   },
    {"flocker",              11, GO_MESSAGE, GO_POINTER, NULL, &type_flocker_volume_source              },
    {"flexVolume",           12, GO_MESSAGE, GO_POINTER, NULL, &type_flex_persistent_volume_source      },
    {"azureFile",            13, GO_MESSAGE, GO_POINTER, NULL, &type_azure_file_persistent_volume_source},
    {"vsphereVolume",        14, GO_MESSAGE, GO_POINTER, NULL, &type_vsphere_virtual_disk_volume_source },
    {"quobyte",              15, GO_MESSAGE, GO_POINTER, NULL, &type_quobyte_volume_source              },
    {"azureDisk",            16, GO_MESSAGE, GO_POINTER, NULL, &type_azure_disk_volume_source           },
    {"photonPersistentDisk", 17, GO_MESSAGE, GO_POINTER, NULL,
     &type_photon_persistent_disk_volume_source                                                         },
    {"portworxVolume",       18, GO_MESSAGE, GO_POINTER, NULL, &type_portworx_volume_source             },
    {"scaleIO",              19, GO_MESSAGE, GO_POINTER, NULL, &type_scale_io_persistent_volume_source  },
    {"local",                20, GO_MESSAGE, GO_POINTER, NULL, &type_local_volume_source                },
    {"storageos",            21, GO_MESSAGE, GO_POINTER, NULL, &type_storage_os_persistent_volume_source},
    {"csi",                  22, GO_MESSAGE, GO_POINTER, NULL, &type_csi_persistent_volume_source       },
};
static TYPE(persistent_volume_source, "PersistentVolumeSource");

static const struct go_field volume_node_affinity_fields[] = {
    {"required", 1, GO_MESSAGE, GO_POINTER, NULL, &type_node_selector},
};
static TYPE(volume_node_affinity, "VolumeNodeAffinity");

static const struct go_field persistent_volume_spec_fields[] = {
    {"capacity",                      1,  GO_QUANTITY, GO_MAP,     NULL, NULL                          },
    {"",                              2,  GO_MESSAGE,  GO_INLINE,  NULL, &type_persistent_volume_source},
    {"accessModes",                   3,  GO_STRING,   GO_LIST,    NULL, NULL                          },
    {"claimRef",                      4,  GO_MESSAGE,  GO_POINTER, NULL, &type_object_reference        },
    {"persistentVolumeReclaimPolicy", 5,  GO_STRING,   0,          NULL, NULL                          },
    {"storageClassName",              6,  GO_STRING,   0,          NULL, NULL                          },
    {"mountOptions",                  7,  GO_STRING,   GO_LIST,    NULL, NULL                          },
    {"volumeMode",                    8,  GO_STRING,   GO_POINTER, NULL, NULL                          },
    {"nodeAffinity",                  9,  GO_MESSAGE,  GO_POINTER, NULL, &type_volume_node_affinity    },
    {"volumeAttributesClassName",     10, GO_STRING,   GO_POINTER, NULL, NULL                          },
};
TYPE(persistent_volume_spec, "PersistentVolumeSpec");

static const struct go_field persistent_volume_status_fields[] = {
    {"phase",                   1, GO_STRING, 0,          NULL, NULL},
    {"message",                 2, GO_STRING, 0,          NULL, NULL},
    {"reason",                  3, GO_STRING, 0,          NULL, NULL},
    {"lastPhaseTransitionTime", 4, GO_TIME,   GO_POINTER, NULL, NULL},
};
static TYPE(persistent_volume_status, "PersistentVolumeStatus");

static const struct go_field persistent_volume_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                          },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                          },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta             },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_persistent_volume_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_persistent_volume_status},
};
TYPE(persistent_volume, "PersistentVolume");

static const struct go_field persistent_volume_claim_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastProbeTime",      3, GO_TIME,   0,           NULL, NULL},
    {"lastTransitionTime", 4, GO_TIME,   0,           NULL, NULL},
    {"reason",             5, GO_STRING, 0,           NULL, NULL},
    {"message",            6, GO_STRING, 0,           NULL, NULL},
};
static TYPE(persistent_volume_claim_condition, "PersistentVolumeClaimCondition");

static const struct go_field modify_volume_status_fields[] = {
    {"targetVolumeAttributesClassName", 1, GO_STRING, 0,           NULL, NULL},
    {"status",                          2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(modify_volume_status, "ModifyVolumeStatus");

static const struct go_field persistent_volume_claim_status_fields[] = {
    {"phase",                            1, GO_STRING,   0,                  NULL,   NULL                      },
    {"accessModes",                      2, GO_STRING,   GO_LIST,            NULL,   NULL                      },
    {"capacity",                         3, GO_QUANTITY, GO_MAP,             NULL,   NULL                      },
    {"conditions",                       4, GO_MESSAGE,  GO_LIST | GO_MERGE, "type",
     &type_persistent_volume_claim_condition                                                                   },
    {"allocatedResources",               5, GO_QUANTITY, GO_MAP,             NULL,   NULL                      },
    {"allocatedResourceStatuses",        7, GO_STRING,   GO_MAP,             NULL,   NULL                      },
    {"currentVolumeAttributesClassName", 8, GO_STRING,   GO_POINTER,         NULL,   NULL                      },
    {"modifyVolumeStatus",               9, GO_MESSAGE,  GO_POINTER,         NULL,   &type_modify_volume_status},
};
static TYPE(persistent_volume_claim_status, "PersistentVolumeClaimStatus");

static const struct go_field persistent_volume_claim_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                                },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                                },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                   },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_persistent_volume_claim_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_persistent_volume_claim_status},
};
TYPE(persistent_volume_claim, "PersistentVolumeClaim");

static const struct go_field endpoint_address_fields[] = {
    {"ip",        1, GO_STRING,  GO_REQUIRED, NULL, NULL                  },
    {"hostname",  3, GO_STRING,  0,           NULL, NULL                  },
    {"nodeName",  4, GO_STRING,  GO_POINTER,  NULL, NULL                  },
    {"targetRef", 2, GO_MESSAGE, GO_POINTER,  NULL, &type_object_reference},
};
static TYPE(endpoint_address, "EndpointAddress");

static const struct go_field endpoint_port_fields[] = {
    {"name",        1, GO_STRING, 0,           NULL, NULL},
    {"port",        2, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"protocol",    3, GO_STRING, 0,           NULL, NULL},
    {"appProtocol", 4, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(endpoint_port, "EndpointPort");

static const struct go_field endpoint_subset_fields[] = {
    {"addresses",         1, GO_MESSAGE, GO_LIST, NULL, &type_endpoint_address},
    {"notReadyAddresses", 2, GO_MESSAGE, GO_LIST, NULL, &type_endpoint_address},
    {"ports",             3, GO_MESSAGE, GO_LIST, NULL, &type_endpoint_port   },
};
static TYPE(endpoint_subset, "EndpointSubset");

static const struct go_field endpoints_fields[] = {
    {"kind",       0, GO_STRING,  0,       NULL, NULL                 },
    {"apiVersion", 0, GO_STRING,  0,       NULL, NULL                 },
    {"metadata",   1, GO_MESSAGE, 0,       NULL, &type_object_meta    },
    {"subsets",    2, GO_MESSAGE, GO_LIST, NULL, &type_endpoint_subset},
};
TYPE(endpoints, "Endpoints");

static const struct go_field limit_range_item_fields[] = {
    {"type",                 1, GO_STRING,   GO_REQUIRED, NULL, NULL},
    {"max",                  2, GO_QUANTITY, GO_MAP,      NULL, NULL},
    {"min",                  3, GO_QUANTITY, GO_MAP,      NULL, NULL},
    {"default",              4, GO_QUANTITY, GO_MAP,      NULL, NULL},
    {"defaultRequest",       5, GO_QUANTITY, GO_MAP,      NULL, NULL},
    {"maxLimitRequestRatio", 6, GO_QUANTITY, GO_MAP,      NULL, NULL},
};
static TYPE(limit_range_item, "LimitRangeItem");

static const struct go_field limit_range_spec_fields[] = {
    {"limits", 1, GO_MESSAGE, GO_LIST, NULL, &type_limit_range_item},
};
static TYPE(limit_range_spec, "LimitRangeSpec");

static const struct go_field limit_range_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                  },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                  },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta     },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_limit_range_spec},
};
TYPE(limit_range, "LimitRange");

static const struct go_field replication_controller_spec_fields[] = {
    {"replicas",        1, GO_INT32,   GO_POINTER, NULL, NULL                   },
    {"minReadySeconds", 4, GO_INT32,   0,          NULL, NULL                   },
    {"selector",        2, GO_STRING,  GO_MAP,     NULL, NULL                   },
    {"template",        3, GO_MESSAGE, GO_POINTER, NULL, &type_pod_template_spec},
};
static TYPE(replication_controller_spec, "ReplicationControllerSpec");

static const struct go_field replication_controller_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastTransitionTime", 3, GO_TIME,   0,           NULL, NULL},
    {"reason",             4, GO_STRING, 0,           NULL, NULL},
    {"message",            5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(replication_controller_condition, "ReplicationControllerCondition");

static const struct go_field replication_controller_status_fields[] = {
    {"replicas",             1, GO_INT32,   GO_REQUIRED,        NULL,   NULL},
    {"fullyLabeledReplicas", 2, GO_INT32,   0,                  NULL,   NULL},
    {"readyReplicas",        4, GO_INT32,   0,                  NULL,   NULL},
    {"availableReplicas",    5, GO_INT32,   0,                  NULL,   NULL},
    {"observedGeneration",   3, GO_INT64,   0,                  NULL,   NULL},
    {"conditions",           6, GO_MESSAGE, GO_LIST | GO_MERGE, "type",
     &type_replication_controller_condition                                 },
};
static TYPE(replication_controller_status, "ReplicationControllerStatus");

static const struct go_field replication_controller_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                               },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                               },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta                  },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_replication_controller_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_replication_controller_status},
};
TYPE(replication_controller, "ReplicationController");

static const struct go_field scoped_resource_selector_requirement_fields[] = {
    {"scopeName", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"operator",  2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"values",    3, GO_STRING, GO_LIST,     NULL, NULL},
};
static TYPE(scoped_resource_selector_requirement, "ScopedResourceSelectorRequirement");

static const struct go_field scope_selector_fields[] = {
    {"matchExpressions", 1, GO_MESSAGE, GO_LIST, NULL, &type_scoped_resource_selector_requirement},
};
static TYPE(scope_selector, "ScopeSelector");

static const struct go_field resource_quota_spec_fields[] = {
    {"hard",          1, GO_QUANTITY, GO_MAP,     NULL, NULL                },
    {"scopes",        2, GO_STRING,   GO_LIST,    NULL, NULL                },
    {"scopeSelector", 3, GO_MESSAGE,  GO_POINTER, NULL, &type_scope_selector},
};
static TYPE(resource_quota_spec, "ResourceQuotaSpec");

static const struct go_field resource_quota_status_fields[] = {
    {"hard", 1, GO_QUANTITY, GO_MAP, NULL, NULL},
    {"used", 2, GO_QUANTITY, GO_MAP, NULL, NULL},
};
static TYPE(resource_quota_status, "ResourceQuotaStatus");

static const struct go_field resource_quota_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                       },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                       },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta          },
    {"spec",       2, GO_MESSAGE, 0, NULL, &type_resource_quota_spec  },
    {"status",     3, GO_MESSAGE, 0, NULL, &type_resource_quota_status},
};
TYPE(resource_quota, "ResourceQuota");

static const struct go_field binding_fields[] = {
    {"kind",       0, GO_STRING,  0, NULL, NULL                  },
    {"apiVersion", 0, GO_STRING,  0, NULL, NULL                  },
    {"metadata",   1, GO_MESSAGE, 0, NULL, &type_object_meta     },
    {"target",     2, GO_MESSAGE, 0, NULL, &type_object_reference},
};
TYPE(binding, "Binding");

static const struct go_field topology_selector_label_requirement_fields[] = {
    {"key",    1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"values", 2, GO_STRING, GO_LIST,     NULL, NULL},
};
static TYPE(topology_selector_label_requirement, "TopologySelectorLabelRequirement");

static const struct go_field topology_selector_term_fields[] = {
    {"matchLabelExpressions", 1, GO_MESSAGE, GO_LIST, NULL,
     &type_topology_selector_label_requirement},
};
TYPE(topology_selector_term, "TopologySelectorTerm");
