/*
 * Pods and their templates: what core/v1, apps/v1 and batch/v1 share.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field local_object_reference_fields[] = {
    {"name", 1, GO_STRING, 0, NULL, NULL},
};
TYPE(local_object_reference, "LocalObjectReference");

static const struct go_field key_to_path_fields[] = {
    {"key",  1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"path", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"mode", 3, GO_INT32,  GO_POINTER,  NULL, NULL},
};
TYPE(key_to_path, "KeyToPath");

static const struct go_field object_field_selector_fields[] = {
    {"apiVersion", 1, GO_STRING, 0,           NULL, NULL},
    {"fieldPath",  2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
TYPE(object_field_selector, "ObjectFieldSelector");

static const struct go_field resource_field_selector_fields[] = {
    {"containerName", 1, GO_STRING,   0,           NULL, NULL},
    {"resource",      2, GO_STRING,   GO_REQUIRED, NULL, NULL},
    {"divisor",       3, GO_QUANTITY, 0,           NULL, NULL},
};
TYPE(resource_field_selector, "ResourceFieldSelector");

static const struct go_field typed_local_object_reference_fields[] = {
    {"apiGroup", 1, GO_STRING, GO_POINTER,  NULL, NULL},
    {"kind",     2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",     3, GO_STRING, GO_REQUIRED, NULL, NULL},
};
TYPE(typed_local_object_reference, "TypedLocalObjectReference");

static const struct go_field typed_object_reference_fields[] = {
    {"apiGroup",  1, GO_STRING, GO_POINTER,  NULL, NULL},
    {"kind",      2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"name",      3, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"namespace", 4, GO_STRING, GO_POINTER,  NULL, NULL},
};
TYPE(typed_object_reference, "TypedObjectReference");

static const struct go_field container_port_fields[] = {
    {"name",          1, GO_STRING, 0,           NULL, NULL},
    {"hostPort",      2, GO_INT32,  0,           NULL, NULL},
    {"containerPort", 3, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"protocol",      4, GO_STRING, 0,           NULL, NULL},
    {"hostIP",        5, GO_STRING, 0,           NULL, NULL},
};
static TYPE(container_port, "ContainerPort");

static const struct go_field config_map_env_source_fields[] = {
    {"",         1, GO_MESSAGE, GO_INLINE,  NULL, &type_local_object_reference},
    {"optional", 2, GO_BOOL,    GO_POINTER, NULL, NULL                        },
};
static TYPE(config_map_env_source, "ConfigMapEnvSource");

static const struct go_field secret_env_source_fields[] = {
    {"",         1, GO_MESSAGE, GO_INLINE,  NULL, &type_local_object_reference},
    {"optional", 2, GO_BOOL,    GO_POINTER, NULL, NULL                        },
};
static TYPE(secret_env_source, "SecretEnvSource");

static const struct go_field env_from_source_fields[] = {
    {"prefix",       1, GO_STRING,  0,          NULL, NULL                       },
    {"configMapRef", 2, GO_MESSAGE, GO_POINTER, NULL, &type_config_map_env_source},
    {"secretRef",    3, GO_MESSAGE, GO_POINTER, NULL, &type_secret_env_source    },
};
static TYPE(env_from_source, "EnvFromSource");

static const struct go_field config_map_key_selector_fields[] = {
    {"",         1, GO_MESSAGE, GO_INLINE,   NULL, &type_local_object_reference},
    {"key",      2, GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"optional", 3, GO_BOOL,    GO_POINTER,  NULL, NULL                        },
};
static TYPE(config_map_key_selector, "ConfigMapKeySelector");

static const struct go_field secret_key_selector_fields[] = {
    {"",         1, GO_MESSAGE, GO_INLINE,   NULL, &type_local_object_reference},
    {"key",      2, GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"optional", 3, GO_BOOL,    GO_POINTER,  NULL, NULL                        },
};
static TYPE(secret_key_selector, "SecretKeySelector");

static const struct go_field file_key_selector_fields[] = {
    {"volumeName", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"path",       2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"key",        3, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"optional",   4, GO_BOOL,   GO_POINTER,  NULL, NULL},
};
static TYPE(file_key_selector, "FileKeySelector");

static const struct go_field env_var_source_fields[] = {
    {"fieldRef",         1, GO_MESSAGE, GO_POINTER, NULL, &type_object_field_selector  },
    {"resourceFieldRef", 2, GO_MESSAGE, GO_POINTER, NULL, &type_resource_field_selector},
    {"configMapKeyRef",  3, GO_MESSAGE, GO_POINTER, NULL, &type_config_map_key_selector},
    {"secretKeyRef",     4, GO_MESSAGE, GO_POINTER, NULL, &type_secret_key_selector    },
    {"fileKeyRef",       5, GO_MESSAGE, GO_POINTER, NULL, &type_file_key_selector      },
};
static TYPE(env_var_source, "EnvVarSource");

static const struct go_field env_var_fields[] = {
    {"name",      1, GO_STRING,  GO_REQUIRED, NULL, NULL                },
    {"value",     2, GO_STRING,  0,           NULL, NULL                },
    {"valueFrom", 3, GO_MESSAGE, GO_POINTER,  NULL, &type_env_var_source},
};
static TYPE(env_var, "EnvVar");

static const struct go_field resource_claim_fields[] = {
    {"name",    1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"request", 2, GO_STRING, 0,           NULL, NULL},
};
static TYPE(resource_claim, "ResourceClaim");

static const struct go_field resource_requirements_fields[] = {
    {"limits",   1, GO_QUANTITY, GO_MAP,  NULL, NULL                },
    {"requests", 2, GO_QUANTITY, GO_MAP,  NULL, NULL                },
    {"claims",   3, GO_MESSAGE,  GO_LIST, NULL, &type_resource_claim},
};
static TYPE(resource_requirements, "ResourceRequirements");

static const struct go_field container_resize_policy_fields[] = {
    {"resourceName",  1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"restartPolicy", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(container_resize_policy, "ContainerResizePolicy");

static const struct go_field container_restart_rule_on_exit_codes_fields[] = {
    {"operator", 1, GO_STRING, 0,       NULL, NULL},
    {"values",   2, GO_INT32,  GO_LIST, NULL, NULL},
};
static TYPE(container_restart_rule_on_exit_codes, "ContainerRestartRuleOnExitCodes");

static const struct go_field container_restart_rule_fields[] = {
    {"action",    1, GO_STRING,  0,          NULL, NULL                                      },
    {"exitCodes", 2, GO_MESSAGE, GO_POINTER, NULL, &type_container_restart_rule_on_exit_codes},
};
static TYPE(container_restart_rule, "ContainerRestartRule");

static const struct go_field exec_action_fields[] = {
    {"command", 1, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(exec_action, "ExecAction");

static const struct go_field http_header_fields[] = {
    {"name",  1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"value", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(http_header, "HTTPHeader");

static const struct go_field http_get_action_fields[] = {
    {"path",        1, GO_STRING,        0,           NULL, NULL             },
    {"port",        2, GO_INT_OR_STRING, GO_REQUIRED, NULL, NULL             },
    {"host",        3, GO_STRING,        0,           NULL, NULL             },
    {"scheme",      4, GO_STRING,        0,           NULL, NULL             },
    {"httpHeaders", 5, GO_MESSAGE,       GO_LIST,     NULL, &type_http_header},
};
static TYPE(http_get_action, "HTTPGetAction");

static const struct go_field tcp_socket_action_fields[] = {
    {"port", 1, GO_INT_OR_STRING, GO_REQUIRED, NULL, NULL},
    {"host", 2, GO_STRING,        0,           NULL, NULL},
};
static TYPE(tcp_socket_action, "TCPSocketAction");

static const struct go_field grpc_action_fields[] = {
    {"port",    1, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"service", 2, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(grpc_action, "GRPCAction");

static const struct go_field probe_handler_fields[] = {
    {"exec",      1, GO_MESSAGE, GO_POINTER, NULL, &type_exec_action      },
    {"httpGet",   2, GO_MESSAGE, GO_POINTER, NULL, &type_http_get_action  },
    {"tcpSocket", 3, GO_MESSAGE, GO_POINTER, NULL, &type_tcp_socket_action},
    {"grpc",      4, GO_MESSAGE, GO_POINTER, NULL, &type_grpc_action      },
};
static TYPE(probe_handler, "ProbeHandler");

static const struct go_field probe_fields[] = {
    {"",                              1, GO_MESSAGE, GO_INLINE,  NULL, &type_probe_handler},
    {"initialDelaySeconds",           2, GO_INT32,   0,          NULL, NULL               },
    {"timeoutSeconds",                3, GO_INT32,   0,          NULL, NULL               },
    {"periodSeconds",                 4, GO_INT32,   0,          NULL, NULL               },
    {"successThreshold",              5, GO_INT32,   0,          NULL, NULL               },
    {"failureThreshold",              6, GO_INT32,   0,          NULL, NULL               },
    {"terminationGracePeriodSeconds", 7, GO_INT64,   GO_POINTER, NULL, NULL               },
};
static TYPE(probe, "Probe");

static const struct go_field sleep_action_fields[] = {
    {"seconds", 1, GO_INT64, GO_REQUIRED, NULL, NULL},
};
static TYPE(sleep_action, "SleepAction");

static const struct go_field lifecycle_handler_fields[] = {
    {"exec",      1, GO_MESSAGE, GO_POINTER, NULL, &type_exec_action      },
    {"httpGet",   2, GO_MESSAGE, GO_POINTER, NULL, &type_http_get_action  },
    {"tcpSocket", 3, GO_MESSAGE, GO_POINTER, NULL, &type_tcp_socket_action},
    {"sleep",     4, GO_MESSAGE, GO_POINTER, NULL, &type_sleep_action     },
};
static TYPE(lifecycle_handler, "LifecycleHandler");

static const struct go_field lifecycle_fields[] = {
    {"postStart",  1, GO_MESSAGE, GO_POINTER, NULL, &type_lifecycle_handler},
    {"preStop",    2, GO_MESSAGE, GO_POINTER, NULL, &type_lifecycle_handler},
    {"stopSignal", 3, GO_STRING,  GO_POINTER, NULL, NULL                   },
};
static TYPE(lifecycle, "Lifecycle");

static const struct go_field capabilities_fields[] = {
    {"add",  1, GO_STRING, GO_LIST, NULL, NULL},
    {"drop", 2, GO_STRING, GO_LIST, NULL, NULL},
};
static TYPE(capabilities, "Capabilities");

static const struct go_field se_linux_options_fields[] = {
    {"user",  1, GO_STRING, 0, NULL, NULL},
    {"role",  2, GO_STRING, 0, NULL, NULL},
    {"type",  3, GO_STRING, 0, NULL, NULL},
    {"level", 4, GO_STRING, 0, NULL, NULL},
};
static TYPE(se_linux_options, "SELinuxOptions");

static const struct go_field windows_security_context_options_fields[] = {
    {"gmsaCredentialSpecName", 1, GO_STRING, GO_POINTER, NULL, NULL},
    {"gmsaCredentialSpec",     2, GO_STRING, GO_POINTER, NULL, NULL},
    {"runAsUserName",          3, GO_STRING, GO_POINTER, NULL, NULL},
    {"hostProcess",            4, GO_BOOL,   GO_POINTER, NULL, NULL},
};
static TYPE(windows_security_context_options, "WindowsSecurityContextOptions");

static const struct go_field seccomp_profile_fields[] = {
    {"type",             1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"localhostProfile", 2, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(seccomp_profile, "SeccompProfile");

static const struct go_field app_armor_profile_fields[] = {
    {"type",             1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"localhostProfile", 2, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(app_armor_profile, "AppArmorProfile");

static const struct go_field security_context_fields[] = {
    {"capabilities",             1,  GO_MESSAGE, GO_POINTER, NULL, &type_capabilities                    },
    {"privileged",               2,  GO_BOOL,    GO_POINTER, NULL, NULL                                  },
    {"seLinuxOptions",           3,  GO_MESSAGE, GO_POINTER, NULL, &type_se_linux_options                },
    {"windowsOptions",           10, GO_MESSAGE, GO_POINTER, NULL, &type_windows_security_context_options},
    {"runAsUser",                4,  GO_INT64,   GO_POINTER, NULL, NULL                                  },
    {"runAsGroup",               8,  GO_INT64,   GO_POINTER, NULL, NULL                                  },
    {"runAsNonRoot",             5,  GO_BOOL,    GO_POINTER, NULL, NULL                                  },
    {"readOnlyRootFilesystem",   6,  GO_BOOL,    GO_POINTER, NULL, NULL                                  },
    {"allowPrivilegeEscalation", 7,  GO_BOOL,    GO_POINTER, NULL, NULL                                  },
    {"procMount",                9,  GO_STRING,  GO_POINTER, NULL, NULL                                  },
    {"seccompProfile",           11, GO_MESSAGE, GO_POINTER, NULL, &type_seccomp_profile                 },
    {"appArmorProfile",          12, GO_MESSAGE, GO_POINTER, NULL, &type_app_armor_profile               },
};
static TYPE(security_context, "SecurityContext");

static const struct go_field container_fields[] = {
    {"name",                     1,  GO_STRING,  GO_REQUIRED,        NULL,            NULL                         },
    {"image",                    2,  GO_STRING,  0,                  NULL,            NULL                         },
    {"command",                  3,  GO_STRING,  GO_LIST,            NULL,            NULL                         },
    {"args",                     4,  GO_STRING,  GO_LIST,            NULL,            NULL                         },
    {"workingDir",               5,  GO_STRING,  0,                  NULL,            NULL                         },
    {"ports",                    6,  GO_MESSAGE, GO_LIST | GO_MERGE, "containerPort", &type_container_port         },
    {"envFrom",                  19, GO_MESSAGE, GO_LIST,            NULL,            &type_env_from_source        },
    {"env",                      7,  GO_MESSAGE, GO_LIST | GO_MERGE, "name",          &type_env_var                },
    {"resources",                8,  GO_MESSAGE, 0,                  NULL,            &type_resource_requirements  },
    {"resizePolicy",             23, GO_MESSAGE, GO_LIST,            NULL,            &type_container_resize_policy},
    {"restartPolicy",            24, GO_STRING,  GO_POINTER,         NULL,            NULL                         },
    {"restartPolicyRules",       25, GO_MESSAGE, GO_LIST,            NULL,            &type_container_restart_rule },
    {"volumeMounts",             9,  GO_MESSAGE, GO_LIST | GO_MERGE, "mountPath",     &type_volume_mount           },
    {"volumeDevices",            21, GO_MESSAGE, GO_LIST | GO_MERGE, "devicePath",    &type_volume_device          },
    {"livenessProbe",            10, GO_MESSAGE, GO_POINTER,         NULL,            &type_probe                  },
    {"readinessProbe",           11, GO_MESSAGE, GO_POINTER,         NULL,            &type_probe                  },
    {"startupProbe",             22, GO_MESSAGE, GO_POINTER,         NULL,            &type_probe                  },
    {"lifecycle",                12, GO_MESSAGE, GO_POINTER,         NULL,            &type_lifecycle              },
    {"terminationMessagePath",   13, GO_STRING,  0,                  NULL,            NULL                         },
    {"terminationMessagePolicy", 20, GO_STRING,  0,                  NULL,            NULL                         },
    {"imagePullPolicy",          14, GO_STRING,  0,                  NULL,            NULL                         },
    {"securityContext",          15, GO_MESSAGE, GO_POINTER,         NULL,            &type_security_context       },
    {"stdin",                    16, GO_BOOL,    0,                  NULL,            NULL                         },
    {"stdinOnce",                17, GO_BOOL,    0,                  NULL,            NULL                         },
    {"tty",                      18, GO_BOOL,    0,                  NULL,            NULL                         },
};
static TYPE(container, "Container");

static const struct go_field ephemeral_container_common_fields[] = {
    {"name",                     1,  GO_STRING,  GO_REQUIRED,        NULL,            NULL                         },
    {"image",                    2,  GO_STRING,  0,                  NULL,            NULL                         },
    {"command",                  3,  GO_STRING,  GO_LIST,            NULL,            NULL                         },
    {"args",                     4,  GO_STRING,  GO_LIST,            NULL,            NULL                         },
    {"workingDir",               5,  GO_STRING,  0,                  NULL,            NULL                         },
    {"ports",                    6,  GO_MESSAGE, GO_LIST | GO_MERGE, "containerPort", &type_container_port         },
    {"envFrom",                  19, GO_MESSAGE, GO_LIST,            NULL,            &type_env_from_source        },
    {"env",                      7,  GO_MESSAGE, GO_LIST | GO_MERGE, "name",          &type_env_var                },
    {"resources",                8,  GO_MESSAGE, 0,                  NULL,            &type_resource_requirements  },
    {"resizePolicy",             23, GO_MESSAGE, GO_LIST,            NULL,            &type_container_resize_policy},
    {"restartPolicy",            24, GO_STRING,  GO_POINTER,         NULL,            NULL                         },
    {"restartPolicyRules",       25, GO_MESSAGE, GO_LIST,            NULL,            &type_container_restart_rule },
    {"volumeMounts",             9,  GO_MESSAGE, GO_LIST | GO_MERGE, "mountPath",     &type_volume_mount           },
    {"volumeDevices",            21, GO_MESSAGE, GO_LIST | GO_MERGE, "devicePath",    &type_volume_device          },
    {"livenessProbe",            10, GO_MESSAGE, GO_POINTER,         NULL,            &type_probe                  },
    {"readinessProbe",           11, GO_MESSAGE, GO_POINTER,         NULL,            &type_probe                  },
    {"startupProbe",             22, GO_MESSAGE, GO_POINTER,         NULL,            &type_probe                  },
    {"lifecycle",                12, GO_MESSAGE, GO_POINTER,         NULL,            &type_lifecycle              },
    {"terminationMessagePath",   13, GO_STRING,  0,                  NULL,            NULL                         },
    {"terminationMessagePolicy", 20, GO_STRING,  0,                  NULL,            NULL                         },
    {"imagePullPolicy",          14, GO_STRING,  0,                  NULL,            NULL                         },
    {"securityContext",          15, GO_MESSAGE, GO_POINTER,         NULL,            &type_security_context       },
    {"stdin",                    16, GO_BOOL,    0,                  NULL,            NULL                         },
    {"stdinOnce",                17, GO_BOOL,    0,                  NULL,            NULL                         },
    {"tty",                      18, GO_BOOL,    0,                  NULL,            NULL                         },
};
static TYPE(ephemeral_container_common, "EphemeralContainerCommon");

static const struct go_field ephemeral_container_fields[] = {
    {"",                    1, GO_MESSAGE, GO_INLINE, NULL, &type_ephemeral_container_common},
    {"targetContainerName", 2, GO_STRING,  0,         NULL, NULL                            },
};
static TYPE(ephemeral_container, "EphemeralContainer");

static const struct go_field sysctl_fields[] = {
    {"name",  1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"value", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(sysctl, "Sysctl");

static const struct go_field pod_security_context_fields[] = {
    {"seLinuxOptions",           1,  GO_MESSAGE, GO_POINTER, NULL, &type_se_linux_options                },
    {"windowsOptions",           8,  GO_MESSAGE, GO_POINTER, NULL, &type_windows_security_context_options},
    {"runAsUser",                2,  GO_INT64,   GO_POINTER, NULL, NULL                                  },
    {"runAsGroup",               6,  GO_INT64,   GO_POINTER, NULL, NULL                                  },
    {"runAsNonRoot",             3,  GO_BOOL,    GO_POINTER, NULL, NULL                                  },
    {"supplementalGroups",       4,  GO_INT64,   GO_LIST,    NULL, NULL                                  },
    {"supplementalGroupsPolicy", 12, GO_STRING,  GO_POINTER, NULL, NULL                                  },
    {"fsGroup",                  5,  GO_INT64,   GO_POINTER, NULL, NULL                                  },
    {"sysctls",                  7,  GO_MESSAGE, GO_LIST,    NULL, &type_sysctl                          },
    {"fsGroupChangePolicy",      9,  GO_STRING,  GO_POINTER, NULL, NULL                                  },
    {"seccompProfile",           10, GO_MESSAGE, GO_POINTER, NULL, &type_seccomp_profile                 },
    {"appArmorProfile",          11, GO_MESSAGE, GO_POINTER, NULL, &type_app_armor_profile               },
    {"seLinuxChangePolicy",      13, GO_STRING,  GO_POINTER, NULL, NULL                                  },
};
static TYPE(pod_security_context, "PodSecurityContext");

static const struct go_field node_selector_requirement_fields[] = {
    {"key",      1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"operator", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"values",   3, GO_STRING, GO_LIST,     NULL, NULL},
};
static TYPE(node_selector_requirement, "NodeSelectorRequirement");

static const struct go_field node_selector_term_fields[] = {
    {"matchExpressions", 1, GO_MESSAGE, GO_LIST, NULL, &type_node_selector_requirement},
    {"matchFields",      2, GO_MESSAGE, GO_LIST, NULL, &type_node_selector_requirement},
};
static TYPE(node_selector_term, "NodeSelectorTerm");

static const struct go_field node_selector_fields[] = {
    {"nodeSelectorTerms", 1, GO_MESSAGE, GO_LIST, NULL, &type_node_selector_term},
};
TYPE(node_selector, "NodeSelector");

static const struct go_field preferred_scheduling_term_fields[] = {
    {"weight",     1, GO_INT32,   GO_REQUIRED, NULL, NULL                    },
    {"preference", 2, GO_MESSAGE, 0,           NULL, &type_node_selector_term},
};
static TYPE(preferred_scheduling_term, "PreferredSchedulingTerm");

static const struct go_field node_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution",  1, GO_MESSAGE, GO_POINTER, NULL,
     &type_node_selector            },
    {"preferredDuringSchedulingIgnoredDuringExecution", 2, GO_MESSAGE, GO_LIST,    NULL,
     &type_preferred_scheduling_term},
};
static TYPE(node_affinity, "NodeAffinity");

static const struct go_field pod_affinity_term_fields[] = {
    {"labelSelector",     1, GO_MESSAGE, GO_POINTER,  NULL, &type_label_selector},
    {"namespaces",        2, GO_STRING,  GO_LIST,     NULL, NULL                },
    {"topologyKey",       3, GO_STRING,  GO_REQUIRED, NULL, NULL                },
    {"namespaceSelector", 4, GO_MESSAGE, GO_POINTER,  NULL, &type_label_selector},
    {"matchLabelKeys",    5, GO_STRING,  GO_LIST,     NULL, NULL                },
    {"mismatchLabelKeys", 6, GO_STRING,  GO_LIST,     NULL, NULL                },
};
static TYPE(pod_affinity_term, "PodAffinityTerm");

static const struct go_field weighted_pod_affinity_term_fields[] = {
    {"weight",          1, GO_INT32,   GO_REQUIRED, NULL, NULL                   },
    {"podAffinityTerm", 2, GO_MESSAGE, 0,           NULL, &type_pod_affinity_term},
};
static TYPE(weighted_pod_affinity_term, "WeightedPodAffinityTerm");

static const struct go_field pod_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution",  1, GO_MESSAGE, GO_LIST, NULL,
     &type_pod_affinity_term         },
    {"preferredDuringSchedulingIgnoredDuringExecution", 2, GO_MESSAGE, GO_LIST, NULL,
     &type_weighted_pod_affinity_term},
};
static TYPE(pod_affinity, "PodAffinity");

static const struct go_field pod_anti_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution",  1, GO_MESSAGE, GO_LIST, NULL,
     &type_pod_affinity_term         },
    {"preferredDuringSchedulingIgnoredDuringExecution", 2, GO_MESSAGE, GO_LIST, NULL,
     &type_weighted_pod_affinity_term},
};
static TYPE(pod_anti_affinity, "PodAntiAffinity");

static const struct go_field affinity_fields[] = {
    {"nodeAffinity",    1, GO_MESSAGE, GO_POINTER, NULL, &type_node_affinity    },
    {"podAffinity",     2, GO_MESSAGE, GO_POINTER, NULL, &type_pod_affinity     },
    {"podAntiAffinity", 3, GO_MESSAGE, GO_POINTER, NULL, &type_pod_anti_affinity},
};
static TYPE(affinity, "Affinity");

static const struct go_field toleration_fields[] = {
    {"key",               1, GO_STRING, 0,          NULL, NULL},
    {"operator",          2, GO_STRING, 0,          NULL, NULL},
    {"value",             3, GO_STRING, 0,          NULL, NULL},
    {"effect",            4, GO_STRING, 0,          NULL, NULL},
    {"tolerationSeconds", 5, GO_INT64,  GO_POINTER, NULL, NULL},
};
TYPE(toleration, "Toleration");

static const struct go_field host_alias_fields[] = {
    {"ip",        1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"hostnames", 2, GO_STRING, GO_LIST,     NULL, NULL},
};
static TYPE(host_alias, "HostAlias");

static const struct go_field pod_dns_config_option_fields[] = {
    {"name",  1, GO_STRING, 0,          NULL, NULL},
    {"value", 2, GO_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(pod_dns_config_option, "PodDNSConfigOption");

static const struct go_field pod_dns_config_fields[] = {
    {"nameservers", 1, GO_STRING,  GO_LIST, NULL, NULL                       },
    {"searches",    2, GO_STRING,  GO_LIST, NULL, NULL                       },
    {"options",     3, GO_MESSAGE, GO_LIST, NULL, &type_pod_dns_config_option},
};
static TYPE(pod_dns_config, "PodDNSConfig");

static const struct go_field pod_readiness_gate_fields[] = {
    {"conditionType", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(pod_readiness_gate, "PodReadinessGate");

static const struct go_field topology_spread_constraint_fields[] = {
    {"maxSkew",            1, GO_INT32,   GO_REQUIRED, NULL, NULL                },
    {"topologyKey",        2, GO_STRING,  GO_REQUIRED, NULL, NULL                },
    {"whenUnsatisfiable",  3, GO_STRING,  GO_REQUIRED, NULL, NULL                },
    {"labelSelector",      4, GO_MESSAGE, GO_POINTER,  NULL, &type_label_selector},
    {"minDomains",         5, GO_INT32,   GO_POINTER,  NULL, NULL                },
    {"nodeAffinityPolicy", 6, GO_STRING,  GO_POINTER,  NULL, NULL                },
    {"nodeTaintsPolicy",   7, GO_STRING,  GO_POINTER,  NULL, NULL                },
    {"matchLabelKeys",     8, GO_STRING,  GO_LIST,     NULL, NULL                },
};
static TYPE(topology_spread_constraint, "TopologySpreadConstraint");

static const struct go_field pod_os_fields[] = {
    {"name", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(pod_os, "PodOS");

static const struct go_field pod_scheduling_gate_fields[] = {
    {"name", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(pod_scheduling_gate, "PodSchedulingGate");

static const struct go_field pod_resource_claim_fields[] = {
    {"name",                      1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"resourceClaimName",         3, GO_STRING, GO_POINTER,  NULL, NULL},
    {"resourceClaimTemplateName", 4, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(pod_resource_claim, "PodResourceClaim");

static const struct go_field pod_scheduling_group_fields[] = {
    {"podGroupName", 1, GO_STRING, GO_POINTER, NULL, NULL},
};
static TYPE(pod_scheduling_group, "PodSchedulingGroup");

static const struct go_field pod_spec_fields[] = {
    {"volumes",                       1,  GO_MESSAGE,  GO_LIST | GO_MERGE | GO_RETAIN_KEYS, "name",        &type_volume                },
    {"initContainers",                20, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "name",        &type_container             },
    {"containers",                    2,  GO_MESSAGE,  GO_LIST | GO_MERGE,                  "name",        &type_container             },
    {"ephemeralContainers",           34, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "name",        &type_ephemeral_container   },
    {"restartPolicy",                 3,  GO_STRING,   0,                                   NULL,          NULL                        },
    {"terminationGracePeriodSeconds", 4,  GO_INT64,    GO_POINTER,                          NULL,          NULL                        },
    {"activeDeadlineSeconds",         5,  GO_INT64,    GO_POINTER,                          NULL,          NULL                        },
    {"dnsPolicy",                     6,  GO_STRING,   0,                                   NULL,          NULL                        },
    {"nodeSelector",                  7,  GO_STRING,   GO_MAP,                              NULL,          NULL                        },
    {"serviceAccountName",            8,  GO_STRING,   0,                                   NULL,          NULL                        },
    {"serviceAccount",                9,  GO_STRING,   0,                                   NULL,          NULL                        },
    {"automountServiceAccountToken",  21, GO_BOOL,     GO_POINTER,                          NULL,          NULL                        },
    {"nodeName",                      10, GO_STRING,   0,                                   NULL,          NULL                        },
    {"hostNetwork",                   11, GO_BOOL,     0,                                   NULL,          NULL                        },
    {"hostPID",                       12, GO_BOOL,     0,                                   NULL,          NULL                        },
    {"hostIPC",                       13, GO_BOOL,     0,                                   NULL,          NULL                        },
    {"shareProcessNamespace",         27, GO_BOOL,     GO_POINTER,                          NULL,          NULL                        },
    {"securityContext",               14, GO_MESSAGE,  GO_POINTER,                          NULL,          &type_pod_security_context  },
    {"imagePullSecrets",              15, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "name",        &type_local_object_reference},
    {"hostname",                      16, GO_STRING,   0,                                   NULL,          NULL                        },
    {"subdomain",                     17, GO_STRING,   0,                                   NULL,          NULL                        },
    {"affinity",                      18, GO_MESSAGE,  GO_POINTER,                          NULL,          &type_affinity              },
    {"schedulerName",                 19, GO_STRING,   0,                                   NULL,          NULL                        },
    {"tolerations",                   22, GO_MESSAGE,  GO_LIST,                             NULL,          &type_toleration            },
    {"hostAliases",                   23, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "ip",          &type_host_alias            },
    {"priorityClassName",             24, GO_STRING,   0,                                   NULL,          NULL                        },
    {"priority",                      25, GO_INT32,    GO_POINTER,                          NULL,          NULL                        },
    {"dnsConfig",                     26, GO_MESSAGE,  GO_POINTER,                          NULL,          &type_pod_dns_config        },
    {"readinessGates",                28, GO_MESSAGE,  GO_LIST,                             NULL,          &type_pod_readiness_gate    },
    {"runtimeClassName",              29, GO_STRING,   GO_POINTER,                          NULL,          NULL                        },
    {"enableServiceLinks",            30, GO_BOOL,     GO_POINTER,                          NULL,          NULL                        },
    {"preemptionPolicy",              31, GO_STRING,   GO_POINTER,                          NULL,          NULL                        },
    {"overhead",                      32, GO_QUANTITY, GO_MAP,                              NULL,          NULL                        },
    {"topologySpreadConstraints",     33, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "topologyKey",
     &type_topology_spread_constraint                                                                                                  },
    {"setHostnameAsFQDN",             35, GO_BOOL,     GO_POINTER,                          NULL,          NULL                        },
    {"os",                            36, GO_MESSAGE,  GO_POINTER,                          NULL,          &type_pod_os                },
    {"hostUsers",                     37, GO_BOOL,     GO_POINTER,                          NULL,          NULL                        },
    {"schedulingGates",               38, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "name",        &type_pod_scheduling_gate   },
    {"resourceClaims",                39, GO_MESSAGE,  GO_LIST | GO_MERGE | GO_RETAIN_KEYS, "name",
     &type_pod_resource_claim                                                                                                          },
    {"resources",                     40, GO_MESSAGE,  GO_POINTER,                          NULL,          &type_resource_requirements },
    {"hostnameOverride",              41, GO_STRING,   GO_POINTER,                          NULL,          NULL                        },
    {"schedulingGroup",               43, GO_MESSAGE,  GO_POINTER,                          NULL,          &type_pod_scheduling_group  },
};
TYPE(pod_spec, "PodSpec");

static const struct go_field pod_condition_fields[] = {
    {"type",               1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"observedGeneration", 7, GO_INT64,  0,           NULL, NULL},
    {"status",             2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"lastProbeTime",      3, GO_TIME,   0,           NULL, NULL},
    {"lastTransitionTime", 4, GO_TIME,   0,           NULL, NULL},
    {"reason",             5, GO_STRING, 0,           NULL, NULL},
    {"message",            6, GO_STRING, 0,           NULL, NULL},
};
static TYPE(pod_condition, "PodCondition");

static const struct go_field host_ip_fields[] = {
    {"ip", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(host_ip, "HostIP");

static const struct go_field pod_ip_fields[] = {
    {"ip", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(pod_ip, "PodIP");

static const struct go_field container_state_waiting_fields[] = {
    {"reason",  1, GO_STRING, 0, NULL, NULL},
    {"message", 2, GO_STRING, 0, NULL, NULL},
};
static TYPE(container_state_waiting, "ContainerStateWaiting");

static const struct go_field container_state_running_fields[] = {
    {"startedAt", 1, GO_TIME, 0, NULL, NULL},
};
static TYPE(container_state_running, "ContainerStateRunning");

static const struct go_field container_state_terminated_fields[] = {
    {"exitCode",    1, GO_INT32,  GO_REQUIRED, NULL, NULL},
    {"signal",      2, GO_INT32,  0,           NULL, NULL},
    {"reason",      3, GO_STRING, 0,           NULL, NULL},
    {"message",     4, GO_STRING, 0,           NULL, NULL},
    {"startedAt",   5, GO_TIME,   0,           NULL, NULL},
    {"finishedAt",  6, GO_TIME,   0,           NULL, NULL},
    {"containerID", 7, GO_STRING, 0,           NULL, NULL},
};
static TYPE(container_state_terminated, "ContainerStateTerminated");

static const struct go_field container_state_fields[] = {
    {"waiting",    1, GO_MESSAGE, GO_POINTER, NULL, &type_container_state_waiting   },
    {"running",    2, GO_MESSAGE, GO_POINTER, NULL, &type_container_state_running   },
    {"terminated", 3, GO_MESSAGE, GO_POINTER, NULL, &type_container_state_terminated},
};
static TYPE(container_state, "ContainerState");

static const struct go_field linux_container_user_fields[] = {
    {"uid",                1, GO_INT64, GO_REQUIRED, NULL, NULL},
    {"gid",                2, GO_INT64, GO_REQUIRED, NULL, NULL},
    {"supplementalGroups", 3, GO_INT64, GO_LIST,     NULL, NULL},
};
static TYPE(linux_container_user, "LinuxContainerUser");

static const struct go_field container_user_fields[] = {
    {"linux", 1, GO_MESSAGE, GO_POINTER, NULL, &type_linux_container_user},
};
static TYPE(container_user, "ContainerUser");

static const struct go_field resource_health_fields[] = {
    {"resourceID", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"health",     2, GO_STRING, 0,           NULL, NULL},
    {"message",    6, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(resource_health, "ResourceHealth");

static const struct go_field resource_status_fields[] = {
    {"name",      1, GO_STRING,  GO_REQUIRED, NULL, NULL                 },
    {"resources", 2, GO_MESSAGE, GO_LIST,     NULL, &type_resource_health},
};
static TYPE(resource_status, "ResourceStatus");

static const struct go_field container_status_fields[] = {
    {"name",                     1,  GO_STRING,   GO_REQUIRED,        NULL,        NULL                       },
    {"state",                    2,  GO_MESSAGE,  0,                  NULL,        &type_container_state      },
    {"lastState",                3,  GO_MESSAGE,  0,                  NULL,        &type_container_state      },
    {"ready",                    4,  GO_BOOL,     GO_REQUIRED,        NULL,        NULL                       },
    {"restartCount",             5,  GO_INT32,    GO_REQUIRED,        NULL,        NULL                       },
    {"image",                    6,  GO_STRING,   GO_REQUIRED,        NULL,        NULL                       },
    {"imageID",                  7,  GO_STRING,   GO_REQUIRED,        NULL,        NULL                       },
    {"containerID",              8,  GO_STRING,   0,                  NULL,        NULL                       },
    {"started",                  9,  GO_BOOL,     GO_POINTER,         NULL,        NULL                       },
    {"allocatedResources",       10, GO_QUANTITY, GO_MAP,             NULL,        NULL                       },
    {"resources",                11, GO_MESSAGE,  GO_POINTER,         NULL,        &type_resource_requirements},
    {"volumeMounts",             12, GO_MESSAGE,  GO_LIST | GO_MERGE, "mountPath", &type_volume_mount_status  },
    {"user",                     13, GO_MESSAGE,  GO_POINTER,         NULL,        &type_container_user       },
    {"allocatedResourcesStatus", 14, GO_MESSAGE,  GO_LIST | GO_MERGE, "name",      &type_resource_status      },
    {"stopSignal",               15, GO_STRING,   GO_POINTER,         NULL,        NULL                       },
};
static TYPE(container_status, "ContainerStatus");

static const struct go_field pod_resource_claim_status_fields[] = {
    {"name",              1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"resourceClaimName", 2, GO_STRING, GO_POINTER,  NULL, NULL},
};
static TYPE(pod_resource_claim_status, "PodResourceClaimStatus");

static const struct go_field container_extended_resource_request_fields[] = {
    {"containerName", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"resourceName",  2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"requestName",   3, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(container_extended_resource_request, "ContainerExtendedResourceRequest");

static const struct go_field pod_extended_resource_claim_status_fields[] = {
    {"requestMappings",   1, GO_MESSAGE, GO_LIST,     NULL, &type_container_extended_resource_request},
    {"resourceClaimName", 2, GO_STRING,  GO_REQUIRED, NULL, NULL                                     },
};
static TYPE(pod_extended_resource_claim_status, "PodExtendedResourceClaimStatus");

static const struct go_field node_allocatable_resource_claim_status_fields[] = {
    {"resourceClaimName", 1, GO_STRING,   GO_REQUIRED, NULL, NULL},
    {"containers",        2, GO_STRING,   GO_LIST,     NULL, NULL},
    {"resources",         3, GO_QUANTITY, GO_MAP,      NULL, NULL},
};
static TYPE(node_allocatable_resource_claim_status, "NodeAllocatableResourceClaimStatus");

static const struct go_field pod_status_fields[] = {
    {"observedGeneration",                   17, GO_INT64,    0,                                   NULL,   NULL                       },
    {"phase",                                1,  GO_STRING,   0,                                   NULL,   NULL                       },
    {"conditions",                           2,  GO_MESSAGE,  GO_LIST | GO_MERGE,                  "type", &type_pod_condition        },
    {"message",                              3,  GO_STRING,   0,                                   NULL,   NULL                       },
    {"reason",                               4,  GO_STRING,   0,                                   NULL,   NULL                       },
    {"nominatedNodeName",                    11, GO_STRING,   0,                                   NULL,   NULL                       },
    {"hostIP",                               5,  GO_STRING,   0,                                   NULL,   NULL                       },
    {"hostIPs",                              16, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "ip",   &type_host_ip              },
    {"podIP",                                6,  GO_STRING,   0,                                   NULL,   NULL                       },
    {"podIPs",                               12, GO_MESSAGE,  GO_LIST | GO_MERGE,                  "ip",   &type_pod_ip               },
    {"startTime",                            7,  GO_TIME,     GO_POINTER,                          NULL,   NULL                       },
    {"initContainerStatuses",                10, GO_MESSAGE,  GO_LIST,                             NULL,   &type_container_status     },
    {"containerStatuses",                    8,  GO_MESSAGE,  GO_LIST,                             NULL,   &type_container_status     },
    {"qosClass",                             9,  GO_STRING,   0,                                   NULL,   NULL                       },
    {"ephemeralContainerStatuses",           13, GO_MESSAGE,  GO_LIST,                             NULL,   &type_container_status     },
    {"resize",                               14, GO_STRING,   0,                                   NULL,   NULL                       },
    {"resourceClaimStatuses",                15, GO_MESSAGE,  GO_LIST | GO_MERGE | GO_RETAIN_KEYS, "name",
     &type_pod_resource_claim_status                                                                                                  },
    {"extendedResourceClaimStatus",          18, GO_MESSAGE,  GO_POINTER,                          NULL,
     &type_pod_extended_resource_claim_status                                                                                         },
    {"allocatedResources",                   19, GO_QUANTITY, GO_MAP,                              NULL,   NULL                       },
    {"resources",                            20, GO_MESSAGE,  GO_POINTER,                          NULL,   &type_resource_requirements},
    {"nodeAllocatableResourceClaimStatuses", 21, GO_MESSAGE,  GO_LIST,                             NULL,
     &type_node_allocatable_resource_claim_status                                                                                     },
};
TYPE(pod_status, "PodStatus");

static const struct go_field pod_template_spec_fields[] = {
    {"metadata", 1, GO_MESSAGE, 0, NULL, &type_object_meta},
    {"spec",     2, GO_MESSAGE, 0, NULL, &type_pod_spec   },
};
TYPE(pod_template_spec, "PodTemplateSpec");
